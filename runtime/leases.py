"""Who works on a call now: a token that only grows, held by one process for a while."""

from __future__ import annotations

import os
import secrets
import socket
import time
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings

from runtime.event_log import LockedRun
from runtime.models import ToolCall

COLUMNS: Final = ["lease_token", "lease_owner", "lease_until"]
INCARNATION: Final = secrets.token_hex(6)


def owner() -> str:
    """Name this process: its id alone comes back after a restart, so it adds its birth."""
    return f"{socket.gethostname()}:{os.getpid()}:{INCARNATION}"


def take(locked: LockedRun, call: ToolCall) -> int:
    """Take a call over; whoever held it before finds another token."""
    call.lease_token += 1
    call.lease_owner = owner()
    call.lease_until = locked.now + timedelta(seconds=settings.ATTEMPT_LEASE_S)
    locked.save(call, COLUMNS)
    return call.lease_token


def give_up(locked: LockedRun, call: ToolCall) -> None:
    call.lease_owner, call.lease_until = None, None
    locked.save(call, COLUMNS)


def ticks() -> float:
    """Seconds that pass while this process is halted, and this machine asleep, as well."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def is_alive(call: ToolCall, now: datetime) -> bool:
    return call.lease_until is not None and now < call.lease_until


def left_s(call: ToolCall, now: datetime) -> float:
    return 0.0 if call.lease_until is None else (call.lease_until - now).total_seconds()


def is_held(call: ToolCall, token: int, now: datetime, *, for_s: float = 0) -> bool:
    """Tell whether a token is still the current one, now and for some seconds more."""
    return call.lease_token == token and is_alive(call, now + timedelta(seconds=for_s))
