"""Rows that say when to look at something again; a relay fires them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import connection

from runtime.models import Run, Timer

Handler = Callable[[UUID], None]
handlers: dict[str, Handler] = {}
LONGEST_PAUSE_S = 30
SET: Final = """
INSERT INTO runtime_timer (kind, run_id, subject, due_at, fired) VALUES (%s, %s, %s, %s, 0)
ON CONFLICT (kind, subject)
DO UPDATE SET run_id = excluded.run_id, due_at = excluded.due_at, fired = 0
"""
CLEAR: Final = "DELETE FROM runtime_timer WHERE kind = %s AND subject = %s"


def on(kind: str) -> Callable[[Handler], Handler]:
    """Name the function that looks at the subject of a timer of this kind."""

    def register(handler: Handler) -> Handler:
        handlers[kind] = handler
        return handler

    return register


def set_timer(kind: str, *, run: Run | None, subject: UUID, due_at: datetime) -> None:
    with connection.cursor() as cursor:
        cursor.execute(SET, [kind, None if run is None else run.pk, subject, due_at])


def clear_timer(kind: str, *, subject: UUID) -> None:
    with connection.cursor() as cursor:
        cursor.execute(CLEAR, [kind, subject])


def take_due(now: datetime, *, limit: int = 100) -> list[Timer]:
    """Take the timers that are due, and put each off in case its wake-up is lost.

    A timer is only gone when the work it wakes clears it, so this is the sweep too.
    """
    due = (
        Timer.objects.select_for_update(skip_locked=True, no_key=True)
        .filter(due_at__lte=now)
        .order_by("due_at")[:limit]
    )
    timers = list(due)
    for timer in timers:
        timer.fired += 1
        timer.due_at = now + timedelta(seconds=min(2**timer.fired, LONGEST_PAUSE_S))
    Timer.objects.bulk_update(timers, ["fired", "due_at"])
    return timers
