"""Rows that say when to look at something again; a relay fires them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import UUID

from runtime.models import Run, Timer

Handler = Callable[[UUID], None]
handlers: dict[str, Handler] = {}
LONGEST_PAUSE_S = 30


def on(kind: str) -> Callable[[Handler], Handler]:
    """Name the function that looks at the subject of a timer of this kind."""

    def register(handler: Handler) -> Handler:
        handlers[kind] = handler
        return handler

    return register


def set_timer(kind: str, *, run: Run | None, subject: UUID, due_at: datetime) -> None:
    Timer.objects.bulk_create(
        [Timer(kind=kind, run=run, subject=subject, due_at=due_at)],
        update_conflicts=True,
        unique_fields=["kind", "subject"],
        update_fields=["run", "due_at", "fired"],
    )


def clear_timer(kind: str, *, subject: UUID) -> None:
    Timer.objects.filter(kind=kind, subject=subject).delete()


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
