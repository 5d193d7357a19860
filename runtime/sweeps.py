"""Put timers back that are missing: whatever may be claimed has one, however it was lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeVar
from uuid import UUID

import structlog
from django.db import transaction
from django.db.models import Exists, Model, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from runtime.event_log import database_now
from runtime.models import Sweep, Timer

logger = structlog.get_logger(__name__)
M = TypeVar("M", bound=Model)
# The ids of what may be claimed and has no timer, each with its run's.
Found = QuerySet[Any, tuple[UUID, UUID | None]]
EVERY: Final = timedelta(seconds=2)
MOST: Final = 500
NEVER: Final = datetime(1, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """`grace` is for what somebody may be at who has set no timer."""

    kind: str
    find: Callable[[], Found]
    every: timedelta
    grace: timedelta


searches: dict[str, Search] = {}


def sweeps(
    name: str, kind: str, *, every: timedelta = EVERY, grace: timedelta = timedelta(0)
) -> Callable[[Callable[[], Found]], Callable[[], Found]]:
    """Name what finds the rows that lack a timer of this kind."""

    def register(find: Callable[[], Found]) -> Callable[[], Found]:
        searches[name] = Search(kind=kind, find=find, every=every, grace=grace)
        return find

    return register


def without_timer(kind: str, rows: QuerySet[M]) -> QuerySet[M]:
    timers = Timer.objects.filter(kind=kind, subject=OuterRef("pk"))
    return rows.filter(~Exists(timers))


def sweep() -> int:
    """Make every search whose time has come; answer how many timers were missing."""
    rows = Sweep.objects.annotate(is_due=Q(due_at__lte=Now())).values_list("name", "is_due")
    is_due = dict(rows)
    return sum(_sweep(name) for name in searches if is_due.get(name, True))


@transaction.atomic(durable=True)
def _sweep(name: str) -> int:
    """Look for one kind, unless another relay does or just has."""
    search = searches[name]
    Sweep.objects.bulk_create([Sweep(name=name, due_at=NEVER)], ignore_conflicts=True)
    turns = Sweep.objects.select_for_update(skip_locked=True, no_key=True)
    turn = turns.filter(name=name, due_at__lte=Now()).first()
    if turn is None:
        return 0
    now = database_now()
    missing = [
        Timer(kind=search.kind, run_id=run_id, subject=subject, due_at=now + search.grace)
        for subject, run_id in search.find()[:MOST]
    ]
    # A transaction that sets one just now knows better.
    Timer.objects.bulk_create(missing, ignore_conflicts=True)
    turn.due_at = now + search.every
    turn.save(update_fields=["due_at"])
    if missing:
        logger.warning("timers were missing", search=name, timers=len(missing))
    return len(missing)
