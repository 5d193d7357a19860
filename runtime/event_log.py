"""The only door into the event log: lock the run, then read, then append."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, Final, TypeVar
from uuid import UUID

import structlog
from django.db import connection, transaction
from django.db.models import Model
from structlog.contextvars import bind_contextvars

from runtime import doorbell, fingerprints  # noqa: F401 - it reads the first runs anew
from runtime.causation import cause_of
from runtime.errors import UnknownEventError
from runtime.event_rows import ENVELOPE_COLUMNS, Line, Unwritten
from runtime.event_types import (
    GENESIS,
    Envelope,
    Ids,
    Payload,
    Recorded,
    chain,
    decode,
    encode,
    is_known,
)
from runtime.ids import new_id
from runtime.models import Event, Run

logger = structlog.get_logger(__name__)
T = TypeVar("T")

# The clock is read from rows that are locked already: a plain SELECT … FOR UPDATE would read it
# before it waits.
LOCK: Final = """
SELECT locked.*, clock_timestamp() AS now FROM (
    SELECT * FROM runtime_run WHERE id = {run} FOR NO KEY UPDATE
) AS locked
"""
OF_ROW: Final = "(SELECT run_id FROM {table} WHERE id = %s)"
OF_ROW_IN_WORKSPACE: Final = "(SELECT run_id FROM {table} WHERE id = %s AND workspace_id = %s)"
# How far this process has found each run's log readable; of very many it forgets all at once.
MOST_FOUND_READABLE = 10_000
_readable: dict[UUID, int] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """Who speaks, and through which part of the system.

    `actor` is `person:<id>`, `policy:<id>` or `system`: an id, never a name.
    """

    producer: str
    actor: str = "system"
    correlation_id: str | None = None


@dataclass(slots=True, kw_only=True)
class LockedRun:
    """A run whose writers wait for this transaction, and the clock read under that lock.

    `led_by`: the event because of which it began, where its caller knows better than the rows.
    """

    run: Run
    now: datetime
    cause: Cause
    facts: list[Recorded] = field(default_factory=list)
    led_by: UUID | None = None
    unwritten: Unwritten = field(default_factory=Unwritten)
    answers: dict[Hashable, Any] = field(default_factory=dict)

    @property
    def positions(self) -> list[int]:
        return [fact.position for fact in self.facts]

    @property
    def is_stopping(self) -> bool:
        return self.run.stop_requested_at is not None or self.run.ended_as is not None

    def append(
        self, payload: Payload, ids: Ids | None = None, *, after: UUID | None = None
    ) -> Recorded:
        """Add one fact at the run's next position, chained to the one before.

        `after`: the last event that changed what the fact is about.
        """
        self.run.head += 1
        envelope = self._envelope(payload, ids or Ids(), after)
        body = encode(payload)
        prev_hash = self.run.head_hash
        self.run.head_hash = chain(prev_hash, envelope, body)
        line = Line(envelope=envelope, body=body, prev_hash=prev_hash, hash=self.run.head_hash)
        self.unwritten.lines.append(line)
        self._write_unless_together()
        fact = Recorded(envelope=envelope, payload=payload)
        if not self.facts:
            transaction.on_commit(self._tell)
        self.facts.append(fact)
        return fact

    def save(self, row: Model, columns: Iterable[str]) -> None:
        """Write some columns of a row that belongs to this run."""
        if values := {name: getattr(row, name) for name in columns}:
            self.unwritten.add(row, values)
            self._write_unless_together()

    @contextmanager
    def together(self) -> Iterator[None]:
        """Write what is recorded inside at the end of it: the facts at once, each row once.

        A query inside that looks for any of it finds it: it is written first.
        """
        if self.unwritten.is_open:
            yield
            return
        self.unwritten.is_open = True
        try:
            with connection.execute_wrapper(self.unwritten.write_first):
                yield
                self.unwritten.write()
        finally:
            self.unwritten.is_open = False

    def once(self, question: Hashable, ask: Callable[[], T]) -> T:
        """Ask for what cannot change any more while this transaction holds its locks, once."""
        if question not in self.answers:
            self.answers[question] = ask()
        answer: T = self.answers[question]
        return answer

    def _write_unless_together(self) -> None:
        if not self.unwritten.is_open:
            self.unwritten.write()

    def _envelope(self, payload: Payload, ids: Ids, after: UUID | None) -> Envelope:
        known = self.led_by or after
        return Envelope(
            **ids.model_dump(),
            event_id=new_id(),
            workspace=self.run.workspace_id,
            run=self.run.pk,
            position=self.run.head,
            event_type=payload.event_type,
            schema_version=payload.schema_version,
            producer=self.cause.producer,
            actor=self.cause.actor,
            correlation_id=self.correlation_id,
            causation_id=cause_of(payload.event_type, ids.tool_call_id, self.facts, known),
            occurred_at=self.now,
            recorded_at=self.now,
        )

    @property
    def correlation_id(self) -> str:
        """What ties the facts of a run to each other, and to what processes say about them."""
        return self.cause.correlation_id or str(self.run.pk)

    def _tell(self) -> None:
        facts = [f"{fact.position} {fact.payload.event_type}" for fact in self.facts]
        logger.info("recorded", actor=self.cause.actor, facts=facts)
        doorbell.ring(self.run.workspace_id, self.run.pk, self.run.head)


def lock_run(run_id: UUID, *, cause: Cause) -> LockedRun:
    """Make the writers of one run take turns until the transaction ends.

    The clock is read after the lock is held: a deadline that passed while this
    writer waited has passed. Raises Run.DoesNotExist, and UnknownEventError where a
    newer program has written: whoever cannot read a log writes nothing to it either.
    """
    return _lock("%s", [run_id], cause)


def lock_run_of(
    model: type[Model], row_id: UUID, *, workspace: UUID | None = None, cause: Cause
) -> LockedRun:
    """Lock the run that a row belongs to; the row itself is to be read afterwards.

    Raises `model.DoesNotExist` where there is no such row, or none in the workspace.
    """
    which, params = OF_ROW, [row_id]
    if workspace is not None:
        which, params = OF_ROW_IN_WORKSPACE, [row_id, workspace]
    try:
        return _lock(which.format(table=model._meta.db_table), params, cause)  # noqa: SLF001
    except Run.DoesNotExist:
        raise model.DoesNotExist from None  # type: ignore[attr-defined]


def _lock(which: str, params: list[UUID], cause: Cause) -> LockedRun:
    found = list(Run.objects.raw(LOCK.format(run=which), params))
    if not found:
        raise Run.DoesNotExist
    (run,) = found
    _require_readable(run)
    return _locked(run, vars(run).pop("now"), cause)


def create_run(run: Run, *, cause: Cause) -> LockedRun:
    """Insert a run nobody else can see yet, which is as good as locked."""
    run.head, run.head_hash = 0, GENESIS
    run.save(force_insert=True)
    return _locked(run, database_now(), cause)


def _require_readable(run: Run) -> None:
    """Look at what was written since this process last did; the run is locked, so that is all."""
    seen = _readable.get(run.pk, 0)
    if seen < run.head:
        facts = Event.objects.filter(run=run, position__gt=seen).order_by("position")
        for event_type, version in facts.values_list("event_type", "schema_version"):
            if not is_known(event_type, version):
                raise UnknownEventError(
                    f"This program does not know {event_type} version {version}."
                )


def unreadable_since(run_id: UUID) -> datetime | None:
    """When the first fact was recorded that this program does not know, if one was."""
    facts = Event.objects.filter(run_id=run_id, position__gt=_readable.get(run_id, 0))
    kinds = facts.order_by("position").values_list("event_type", "schema_version", "recorded_at")
    return next((at for name, version, at in kinds if not is_known(name, version)), None)


def _remember_readable(run: Run) -> None:
    if len(_readable) >= MOST_FOUND_READABLE:
        _readable.clear()
    _readable[run.pk] = run.head


def _locked(run: Run, now: datetime, cause: Cause) -> LockedRun:
    transaction.on_commit(partial(_remember_readable, run))
    locked = LockedRun(run=run, now=now, cause=cause)
    bind_contextvars(correlation_id=locked.correlation_id)
    return locked


def database_now() -> datetime:
    """The one clock that deadlines go by."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        row = cursor.fetchone()
    now: datetime = row[0]
    return now


def read(run_id: UUID, *, after: int = 0) -> Iterator[Recorded]:
    for row in Event.objects.filter(run_id=run_id, position__gt=after).order_by("position"):
        yield recorded(row)


def recorded(row: Event) -> Recorded:
    payload = decode(row.event_type, row.schema_version, row.body)
    return Recorded(envelope=envelope_of(row), payload=payload)


def envelope_of(row: Event) -> Envelope:
    columns = {name: getattr(row, name) for name in ENVELOPE_COLUMNS}
    return Envelope(workspace=row.workspace_id, run=row.run_id, position=row.position, **columns)
