"""Take up what a dead or patient worker left of a dispatched call."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction

from runtime import leases
from runtime.calls import ADVANCE
from runtime.event_log import LockedRun
from runtime.execution.attempts import STOPPING, Claim, open_attempt
from runtime.execution.locking import attempts_of, lock_call, open_attempt_of
from runtime.execution.pauses import pause
from runtime.execution.reading import Reading
from runtime.execution.settling import close_attempt, leave_unknown, pull_back
from runtime.models import Attempt, ToolCall
from runtime.observations import record_observation
from runtime.providers.protocol import Unreadable
from runtime.states import AttemptClose, AttemptStatus, CallStatus
from runtime.timers import set_timer

LEASE_LOST = "lease_lost"


@transaction.atomic(durable=True)
def take_up(call_id: UUID) -> int | None:
    """Close what a dead lease left open; answer the token by which the next attempt is prepared.

    It is none where nothing is to be done, or somebody else is at it.
    """
    locked, call = lock_call(call_id)
    if call.execution_status != CallStatus.DISPATCHING or leases.is_alive(call, locked.now):
        return None
    attempt = open_attempt_of(call)
    if attempt is not None and attempt.status == AttemptStatus.SENT:
        close_attempt(locked, call, attempt, AttemptClose.UNKNOWN, LEASE_LOST)
        leave_unknown(locked, call, LEASE_LOST)
        return None
    if attempt is not None:
        # Never marked sent, so it provably did not leave.
        close_attempt(locked, call, attempt, AttemptClose.NEVER_SENT, LEASE_LOST)
    return None if _is_stopped(locked, call) else leases.take(locked, call)


@transaction.atomic(durable=True)
def open_next(call_id: UUID, token: int, reading: Reading | Unreadable) -> Claim | None:
    """Open the next attempt under the same key, on fresh facts, while the token is current."""
    locked, call = lock_call(call_id)
    if not leases.is_held(call, token, locked.now):
        return None
    leases.give_up(locked, call)
    if call.execution_status != CallStatus.DISPATCHING or _is_stopped(locked, call):
        return None
    if isinstance(reading, Unreadable):
        due_at = locked.now + pause(Attempt.objects.filter(tool_call=call).count())
        set_timer(ADVANCE, run=locked.run, subject=call.pk, due_at=due_at)
        return None
    locked.led_by = _last_close(call)
    record_observation(locked, call, reading.facts, reading.as_of)
    return open_attempt(locked, call, number=len(attempts_of(call)) + 1)


def _last_close(call: ToolCall) -> UUID | None:
    """Why another attempt is needed at all."""
    last = Attempt.objects.filter(tool_call=call).order_by("number").last()
    return None if last is None else last.last_event


def _is_stopped(locked: LockedRun, call: ToolCall) -> bool:
    if locked.is_stopping:
        pull_back(locked, call, code=STOPPING.code, detail=STOPPING.detail)
    return locked.is_stopping
