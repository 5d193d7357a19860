"""What workers are woken for. A task carries an id; the work is claimed from the database."""

from __future__ import annotations

from uuid import UUID

from runtime import execution
from runtime.celery import app


@app.task(name="runtime.advance")
def advance(call_id: str) -> None:
    execution.advance(UUID(call_id))


@app.task(name="runtime.observe")
def observe(call_id: str) -> None:
    execution.observe_call(UUID(call_id))


@app.task(name="runtime.take_notice")
def take_notice(notice_id: str) -> None:
    execution.take_notice(UUID(notice_id))
