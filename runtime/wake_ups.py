"""Send wake-ups from one thread of a process: nobody waits for a broker that hangs."""

from __future__ import annotations

import threading
from functools import cache
from queue import Full, Queue
from typing import Final
from uuid import UUID

import structlog
from celery import current_app

logger = structlog.get_logger(__name__)
MOST: Final = 1_000
WakeUp = tuple[str, UUID]


def publish(task: str, subject: UUID) -> None:
    """Have a wake-up sent; never waits, never raises. If it is lost, the timer sends another."""
    try:
        _waiting().put_nowait((task, subject))
    except Full:
        logger.warning("wake-up not sent", task=task, subject=str(subject))


@cache
def _waiting() -> Queue[WakeUp]:
    """One queue and one connection for the whole process, whoever wakes."""
    waiting: Queue[WakeUp] = Queue(MOST)
    threading.Thread(target=_send_all, args=[waiting], name="wake-ups", daemon=True).start()
    return waiting


def _send_all(waiting: Queue[WakeUp]) -> None:
    while True:
        task, subject = waiting.get()
        try:
            current_app.send_task(task, args=[str(subject)], retry=False)
        except Exception:  # noqa: BLE001 - whatever the transport raises
            logger.warning("wake-up not sent", task=task, subject=str(subject))
