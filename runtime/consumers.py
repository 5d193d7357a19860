"""Follow the feeds: a consumer's cursor moves in the transaction of what the consumer writes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final
from uuid import UUID

import structlog
from django.db import InterfaceError, OperationalError, transaction
from django.db.models import Exists, OuterRef

from runtime.event_log import recorded
from runtime.event_types import Recorded
from runtime.models import Consumer, Outbox, WorkspaceFeed
from runtime.pause_points import pause_at

logger = structlog.get_logger(__name__)
BATCH: Final = 200
Take = Callable[[Sequence[Recorded]], None]
consumers: dict[str, Take] = {}


def follows(name: str) -> Callable[[Take], Take]:
    """Name what takes in the facts of every workspace, each once and in the feed's order."""

    def register(take: Take) -> Take:
        consumers[name] = take
        return take

    return register


def consume_all() -> int:
    """Take every consumer some way further wherever it is behind."""
    return sum(_tried(name, workspace) for name in consumers for workspace in _behind(name))


@transaction.atomic(durable=True)
def consume(name: str, workspace: UUID) -> int:
    """Hand a consumer what comes next; one that another relay is at is left to it."""
    Consumer.objects.bulk_create(
        [Consumer(name=name, workspace_id=workspace)], ignore_conflicts=True
    )
    cursor = lock_cursor(name, workspace, skip_locked=True)
    if cursor is None:
        return 0
    numbered = Outbox.objects.filter(workspace_id=workspace, pos__gt=cursor.pos)
    following = list(numbered.select_related("event").order_by("pos")[:BATCH])
    if following:
        consumers[name]([recorded(row.event) for row in following])
        pause_at("before_cursor")
        cursor.pos += len(following)
        cursor.save(update_fields=["pos"])
    return len(following)


def lock_cursor(name: str, workspace: UUID, *, skip_locked: bool = False) -> Consumer | None:
    """Hold a consumer where it is until the transaction ends; None where it has not begun."""
    locked = Consumer.objects.select_for_update(no_key=True, skip_locked=skip_locked)
    return locked.filter(name=name, workspace_id=workspace).first()


def _behind(name: str) -> list[UUID]:
    caught_up = Consumer.objects.filter(name=name, workspace=OuterRef("pk"), pos=OuterRef("pos"))
    feeds = WorkspaceFeed.objects.filter(~Exists(caught_up))
    return list(feeds.values_list("pk", flat=True))


def _tried(name: str, workspace: UUID) -> int:
    """What goes wrong with one consumer, or with one workspace's facts, stays with it."""
    try:
        return consume(name, workspace)
    except (OperationalError, InterfaceError):
        raise
    except Exception:
        logger.exception("consumer failed", consumer=name, workspace=str(workspace))
        return 0
