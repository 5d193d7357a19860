"""The only door into the event log: lock the run, then read, then append."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from uuid import UUID

import structlog
from django.db import connection, transaction
from structlog.contextvars import bind_contextvars

from runtime import doorbell, fingerprints  # noqa: F401 - it reads the first runs anew
from runtime.causation import cause_of
from runtime.errors import UnknownEventError
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
from runtime.models import Event, Outbox, Run

logger = structlog.get_logger(__name__)

ENVELOPE_COLUMNS = [
    name for name in Envelope.model_fields if name not in {"workspace", "run", "position"}
]
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
        prev_hash, self.run.head_hash = (
            self.run.head_hash,
            chain(self.run.head_hash, envelope, body),
        )
        _store(envelope, body, prev_hash, self.run)
        fact = Recorded(envelope=envelope, payload=payload)
        if not self.facts:
            transaction.on_commit(self._tell)
        self.facts.append(fact)
        return fact

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
    run = Run.objects.select_for_update(no_key=True).get(pk=run_id)
    return _locked(run, cause, _read_clock(run))


def create_run(run: Run, *, cause: Cause) -> LockedRun:
    """Insert a run nobody else can see yet, which is as good as locked."""
    run.head, run.head_hash = 0, GENESIS
    run.save(force_insert=True)
    return _locked(run, cause, database_now())


def _read_clock(run: Run) -> datetime:
    """The clock, in one statement with whatever was written since this process last looked."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT clock_timestamp(), ARRAY(SELECT event_type || ' version ' || schema_version"
            " FROM runtime_event WHERE run_id = %s AND position > %s)",
            [run.pk, _readable.get(run.pk, 0)],
        )
        now, kinds = cursor.fetchone()
    _require_known(kinds)
    transaction.on_commit(partial(_remember_readable, run.pk, run.head))
    clock: datetime = now
    return clock


def _require_known(kinds: Iterable[str]) -> None:
    for kind in kinds:
        event_type, _, version = kind.partition(" version ")
        if not is_known(event_type, int(version)):
            raise UnknownEventError(f"This program does not know {kind}.")


def unreadable_since(run_id: UUID) -> datetime | None:
    """When the first fact was recorded that this program does not know, if one was."""
    facts = Event.objects.filter(run_id=run_id, position__gt=_readable.get(run_id, 0))
    kinds = facts.order_by("position").values_list("event_type", "schema_version", "recorded_at")
    return next((at for name, version, at in kinds if not is_known(name, version)), None)


def _remember_readable(run_id: UUID, position: int) -> None:
    if len(_readable) >= MOST_FOUND_READABLE:
        _readable.clear()
    _readable[run_id] = position


def _locked(run: Run, cause: Cause, now: datetime) -> LockedRun:
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


def _store(envelope: Envelope, body: str, prev_hash: str, run: Run) -> None:
    columns = {name: getattr(envelope, name) for name in ENVELOPE_COLUMNS}
    Event.objects.create(
        workspace_id=envelope.workspace,
        run_id=envelope.run,
        position=envelope.position,
        body=body,
        prev_hash=prev_hash,
        hash=run.head_hash,
        **columns,
    )
    Outbox.objects.create(
        workspace_id=envelope.workspace, run_id=envelope.run, position=envelope.position
    )
    run.save(update_fields=["head", "head_hash"])
