"""How far everything that is watched has come, in a few queries for all of it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce

from console.live.rooms import Topic
from console.shell import health
from runtime.event_log import database_now
from runtime.models import Outbox, Run, Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    now: datetime
    health: tuple[str, ...]
    positions: dict[Topic, int]


def look(topics: Collection[Topic]) -> Look:
    now = database_now()
    runs = {topic.run for topic in topics if topic.run}
    heads = dict(Run.objects.filter(pk__in=runs).values_list("pk", "head"))
    totals = events_of({topic.workspace for topic in topics if topic.run is None})
    return Look(
        now=now,
        health=health(now),
        positions={
            topic: heads[topic.run] if topic.run else totals[topic.workspace] for topic in topics
        },
    )


def events_of(workspaces: Collection[UUID]) -> dict[UUID, int]:
    """Count a workspace's events: what is numbered by its last number, the rest by looking."""
    unnumbered = (
        Outbox.objects.filter(workspace=OuterRef("pk"), pos=None)
        .order_by()
        .values("workspace")
        .values_list(Count("pk"))
    )
    rows = Workspace.objects.filter(pk__in=workspaces).annotate(
        events=Coalesce("feed__pos", 0) + Coalesce(Subquery(unnumbered), 0)
    )
    return dict(rows.values_list("pk", "events"))
