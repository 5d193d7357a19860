"""What workers are woken for. A task carries an id; the work is claimed from the database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

import structlog

from runtime import execution
from runtime.celery import app
from runtime.errors import UnreadableLogError

logger = structlog.get_logger(__name__)


@contextmanager
def leaving_unreadable_logs() -> Iterator[None]:
    """Leave a run to a newer program; its timer wakes somebody again."""
    try:
        yield
    except UnreadableLogError as error:
        logger.warning("left alone: the log cannot be read", why=str(error))


@app.task(name="runtime.advance")
def advance(call_id: str) -> None:
    with leaving_unreadable_logs():
        execution.advance(UUID(call_id))


@app.task(name="runtime.observe")
def observe(call_id: str) -> None:
    with leaving_unreadable_logs():
        execution.observe_call(UUID(call_id))


@app.task(name="runtime.take_notice")
def take_notice(notice_id: str) -> None:
    with leaving_unreadable_logs():
        execution.take_notice(UUID(notice_id))
