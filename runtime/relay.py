"""Number the outbox, feed consumers and fire timers: any number of relays may run."""

from __future__ import annotations

import threading
from typing import Final
from uuid import UUID

import structlog
from django.db import InterfaceError, OperationalError, connection, transaction
from structlog.contextvars import bound_contextvars

from runtime import claimable, doorbell, timers  # noqa: F401 - what may be claimed registers itself
from runtime.anchors.writing import Anchoring
from runtime.calls import WAKES
from runtime.consumers import consume_all
from runtime.event_log import database_now
from runtime.models import Timer
from runtime.numbering import number, unnumbered
from runtime.pause_points import pause_at
from runtime.sweeps import sweep
from runtime.wake_ups import publish

logger = structlog.get_logger(__name__)
IDLE_S: Final = 0.25
DATABASE_AWAY_S: Final = 1.0


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
    numbered = [number_outbox(workspace) for workspace in unnumbered()]
    return sweep() + fire_due() + consume_all() > 0 or any(numbered)


def number_outbox(workspace: UUID) -> int:
    """Number what a workspace has committed, and tell open pages."""
    rows = number(workspace)
    pause_at("after_number")
    # Of each run the last position is enough: whoever hears it re-reads.
    last: dict[UUID, int] = {}
    for run_id, position in rows:
        last[run_id] = max(position, last.get(run_id, 0))
    for run_id, position in last.items():
        doorbell.ring(workspace, run_id, position)
    return len(rows)


def fire_due() -> int:
    due = _take_due()
    for timer in due:
        with bound_contextvars(correlation_id=str(timer.run_id or timer.subject)):
            _fire(timer)
    return len(due)


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
