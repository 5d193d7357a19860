"""Number the outbox, ring the doorbell and fire timers: any number of relays may run."""

from __future__ import annotations

import threading
from typing import Final
from uuid import UUID

import structlog
from django.db import InterfaceError, OperationalError, connection, transaction
from structlog.contextvars import bound_contextvars

from runtime import doorbell, timers
from runtime.anchors.writing import Anchoring
from runtime.calls import WAKES
from runtime.event_log import database_now
from runtime.models import Outbox, Timer, WorkspaceFeed
from runtime.wake_ups import publish

logger = structlog.get_logger(__name__)
IDLE_S: Final = 0.25
DATABASE_AWAY_S: Final = 1.0
BATCH: Final = 500


def run(stopped: threading.Event, anchoring: Anchoring) -> None:
    """Relay until told to stop; a database that is away is waited for."""
    while not stopped.is_set():
        try:
            pause = 0.0 if turn() else IDLE_S
            anchoring.write_if_due()
        except (OperationalError, InterfaceError) as error:
            logger.warning("database away", error=type(error).__name__)
            connection.close()
            pause = DATABASE_AWAY_S
        stopped.wait(pause)
    connection.close()


def turn() -> bool:
    """Do everything that is due now; answer whether there was anything."""
    numbered = [number_outbox(workspace) for workspace in _unnumbered()]
    return fire_due() > 0 or any(numbered)


def number_outbox(workspace: UUID) -> int:
    """Give a workspace's committed rows its next numbers, and tell open pages."""
    rows = _number(workspace)
    # Of each run the last row is enough: whoever hears it re-reads.
    for run_id, position in {row.run_id: row.position for row in rows}.items():
        doorbell.ring(workspace, run_id, position)
    return len(rows)


def fire_due() -> int:
    due = _take_due()
    for timer in due:
        with bound_contextvars(correlation_id=str(timer.run_id or timer.subject)):
            _fire(timer)
    return len(due)


def _unnumbered() -> list[UUID]:
    rows = Outbox.objects.filter(pos=None).order_by()
    return list(rows.values_list("workspace_id", flat=True).distinct())


@transaction.atomic(durable=True)
def _number(workspace: UUID) -> list[Outbox]:
    """Number rows under the feed's lock: contiguous, whichever relay comes first.

    A row that commits late gets a late number, so a cursor over numbers skips nothing.
    """
    WorkspaceFeed.objects.get_or_create(workspace_id=workspace)
    feeds = WorkspaceFeed.objects.select_for_update(no_key=True, skip_locked=True)
    feed = feeds.filter(workspace_id=workspace).first()
    if feed is None:
        return []
    rows = list(Outbox.objects.filter(workspace_id=workspace, pos=None).order_by("id")[:BATCH])
    for row in rows:
        feed.pos += 1
        row.pos = feed.pos
    Outbox.objects.bulk_update(rows, ["pos"])
    feed.save(update_fields=["pos"])
    return rows


@transaction.atomic(durable=True)
def _take_due() -> list[Timer]:
    return timers.take_due(database_now())


def _fire(timer: Timer) -> None:
    """Wake whoever is to look; what goes wrong with one timer stays with it."""
    if task := WAKES.get(timer.kind):
        publish(task, timer.subject)
        return
    try:
        timers.handlers[timer.kind](timer.subject)
    except (OperationalError, InterfaceError):
        raise
    except Exception:
        logger.exception("timer failed", kind=timer.kind, subject=str(timer.subject))
