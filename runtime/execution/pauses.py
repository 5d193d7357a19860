"""How long to wait before trying or looking again."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings

from runtime.timers import LONGEST_PAUSE_S


def pause(times: int) -> timedelta:
    """FIRST_LOOK_S, then doubling with every time, up to half a minute."""
    seconds = settings.FIRST_LOOK_S * 2 ** min(times - 1, 10)
    return timedelta(seconds=min(seconds, LONGEST_PAUSE_S))
