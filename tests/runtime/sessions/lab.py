"""A run's session on the real store: appends that die half-way, and others who write into it."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import count

from django.db import connection, transaction
from django.db.models import F

from runtime.event_log import Cause, database_now, lock_run
from runtime.handlers import (
    AppendItems,
    RepairSession,
    RunCommand,
    RunCommandKind,
    append_items,
    ask_gates,
    command_run,
    repair_session,
)
from runtime.models import AgentSession, Event, Run, SessionAppend, SessionItem, SessionWrite
from runtime.session_events import Repair
from runtime.sessions.digests import written
from runtime.sessions.store import append, read_texts
from runtime.sessions.writing import intend, known_head
from tests.factories import World, make_run

CAUSE = Cause(producer="test")
GUARDED = ("runtime_sessionitem", "runtime_sessionappend", "runtime_sessionwrite")
numbers = count(1)


def said(words: str) -> dict[str, str]:
    return {"role": "user", "content": words}


def call(key: str) -> dict[str, str]:
    return {"type": "function_call", "call_id": key}


def output(key: str) -> dict[str, str]:
    return {"type": "function_call_output", "call_id": key}


class Lab:
    """One run; `append` and `ask` are what its agent does."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.run_id = make_run(world).pk

    @property
    def run(self) -> Run:
        return Run.objects.get(pk=self.run_id)

    @property
    def session(self) -> AgentSession:
        return AgentSession.objects.get(run=self.run_id)

    @property
    def history(self) -> list[str]:
        return read_texts(self.session)

    @property
    def trail(self) -> list[str]:
        """Each fact about the session, with its verdict."""
        rows = Event.objects.filter(run=self.run_id, event_type__startswith="session.")
        facts = rows.order_by("position")
        return [row.payload.get("verdict") or row.event_type for row in facts]

    def append(self, base: int, token: str, *items):
        command = AppendItems(base_revision=base, attempt_token=token, items=items)
        return append_items(self.world.actor("agent"), self.run_id, command)

    def ask(self):
        return ask_gates(self.world.actor("agent"), self.run_id)

    def repair(self, action: Repair):
        command = RepairSession(
            command_id=f"repair-{next(numbers)}", action=action, reason="I have looked"
        )
        return repair_session(self.world.actor("admin"), self.run_id, command)

    def finish(self) -> None:
        command = RunCommand(command_id="finish", kind=RunCommandKind.FINISH)
        command_run(self.world.actor("agent"), self.run_id, command)

    def die_before_append(self, token: str, *items) -> SessionWrite:
        """An append is put on record, and its process is gone."""
        with transaction.atomic():
            locked = lock_run(self.run_id, cause=CAUSE)
            meant = intend(locked, token, list(map(written, items)))
        return SessionWrite.objects.get(pk=meant)

    def die_after_append(self, token: str, *items) -> None:
        """The store has the append, and nobody has said so."""
        before = known_head(self.run)
        write = self.die_before_append(token, *items)
        append(write.session, before, token, list(map(written, items)))

    def write_behind_our_back(self, token: str, *items) -> None:
        """What another program with access to the store would do, and do well."""
        session = self.session
        new = SessionAppend.objects.create(
            session=session,
            revision=session.revision + 1,
            attempt_token=token,
            appended_at=database_now(),
        )
        for number, item in enumerate(items, start=session.count + 1):
            row = {"session": session, "append": new, "number": number}
            SessionItem.objects.create(text=written(item), **row)
        AgentSession.objects.filter(pk=session.pk).update(
            revision=F("revision") + 1, count=F("count") + len(items)
        )


@contextmanager
def without_guards():
    """Somebody who owns the tables can do anything."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for table in GUARDED:
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER ALL")
        yield
        for table in GUARDED:
            cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER ALL")
            cursor.execute(f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {table}_is_append_only")
