"""Finish an append whose process died between meaning it and making it; nobody may come for it."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from runtime.event_log import Cause
from runtime.sessions.writing import settle_writes
from runtime.timers import clear_timer, on

SETTLE: Final = "session.settle"


@on(SETTLE)
def settle_left_open(run_id: UUID) -> None:
    """Whoever meant it may be at it still: of all who settle it at once, one makes it."""
    settle_writes(run_id, Cause(producer="runtime"))
    clear_timer(SETTLE, subject=run_id)
