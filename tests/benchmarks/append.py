"""What appending costs beside a plain INSERT, and whether it costs more where more is stored.

`python -m tests.benchmarks.append` appends one fact a transaction to a run of its own, beside the
same row inserted with nothing around it, on a durable PostgreSQL with 10 thousand events in it
and then with 2 million.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from statistics import median
from typing import Any, Final
from uuid import UUID

import psycopg
from django.db import connection, transaction

from runtime.event_log import Cause, lock_run
from runtime.event_rows import COLUMNS
from runtime.events import ToolCallHeldUp
from runtime.ids import new_id
from runtime.models import Event, Run
from runtime.states import HeldUp
from tests.benchmarks.contestants import database
from tests.benchmarks.measuring import Client, Measured, measure
from tests.factories import World, make_run, make_world

APPEND, PLAIN = "our append", "plain INSERT"
SIZES: Final = (10_000, 2_000_000)
CLIENTS: Final = (1, 8)
FACT: Final = ToolCallHeldUp(code=HeldUp.FACTS_UNREADABLE)
CAUSE: Final = Cause(producer="benchmark")
A_RUN: Final = 1_000
# Old runs of a thousand events each, chained like none: appending reads none of them.
FILL_RUNS: Final = """
INSERT INTO runtime_run ({columns})
SELECT {values} FROM runtime_run AS one, generate_series(1, %s) WHERE one.id = %s RETURNING id
"""
FILL_EVENTS: Final = """
INSERT INTO runtime_event ({columns})
SELECT {values} FROM runtime_event AS one, unnest(%s::uuid[]) AS run, generate_series(1, %s) AS n
WHERE one.run_id = %s AND one.position = 1
"""
FILL_OUTBOX: Final = """
INSERT INTO runtime_outbox (workspace_id, run_id, position, pos)
SELECT workspace_id, run_id, position, (SELECT coalesce(max(pos), 0) FROM runtime_outbox)
    + row_number() OVER () FROM runtime_event WHERE run_id = ANY(%s)
"""


class Append:
    def __init__(self, world: World) -> None:
        self.run = make_run(world)

    @transaction.atomic(durable=True)
    def cycle(self) -> None:
        lock_run(self.run.pk, cause=CAUSE).append(FACT)

    def close(self) -> None:
        connection.close()


class Plain:
    """The same columns, with the same indexes and triggers, and nothing else in the transaction."""

    def __init__(self, world: World, conninfo: str) -> None:
        self.run = make_run(world)
        names = ", ".join(COLUMNS)
        values = ", ".join(["%s"] * len(COLUMNS))
        self.insert = f"INSERT INTO runtime_event ({names}) VALUES ({values})"
        event = Event.objects.get(run=self.run, position=1)
        self.row = {name: getattr(event, name) for name in COLUMNS}
        connection.close()
        self.connection: psycopg.Connection[Any] = psycopg.connect(conninfo)

    def cycle(self) -> None:
        self.row["position"] += 1
        self.row["event_id"] = new_id()
        with self.connection.transaction():
            self.connection.execute(self.insert, list(self.row.values()))

    def close(self) -> None:
        self.connection.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--events", type=int, nargs="+", default=SIZES)
    options = parser.parse_args()
    with database.durable_database() as conninfo:
        world = make_world("bench")
        contestants: dict[str, Callable[[], Client]] = {
            APPEND: partial(Append, world),
            PLAIN: partial(Plain, world, conninfo),
        }
        print(f"{os.cpu_count()} cores; one fact a transaction, fsync on")
        print("   events clients                /s  p50 ms  p99 ms  statements  CPU ms  of plain")
        for size in options.events:
            fill(make_run(world), size)
            for clients in CLIENTS:
                play = partial(measure, clients=clients, seconds=options.seconds)
                rounds = [
                    {name: play(make) for name, make in contestants.items()}
                    for _ in range(options.rounds)
                ]
                report(size, clients, rounds)


def report(size: int, clients: int, rounds: list[dict[str, Measured]]) -> None:
    for name in rounds[0]:
        found = [each[name] for each in rounds]
        ratio = median(each[name].per_second / each[PLAIN].per_second for each in rounds)
        print(
            f"{size:>9} {clients:>3} {name:14}"
            f" {median(each.per_second for each in found):9.1f}"
            f" {median(each.p50_ms for each in found):7.2f}"
            f" {median(each.p99_ms for each in found):7.2f}"
            f" {median(each.statements for each in found):11.1f}"
            f" {median(each.cpu_ms for each in found):7.2f}"
            f"  x {ratio:.2f}"
        )


def fill(run: Run, size: int) -> None:
    """Copy one run and its first event until the log holds so many, its outbox numbered."""
    missing = size - Event.objects.count()
    if missing < A_RUN:
        return
    with connection.cursor() as cursor, without_checks(cursor):
        columns, values = copied(Run, id="uuidv7()", head=str(A_RUN))
        statement = FILL_RUNS.format(columns=columns, values=values)
        cursor.execute(statement, [missing // A_RUN, run.pk])
        runs: list[UUID] = [row[0] for row in cursor.fetchall()]
        columns, values = copied(Event, event_id="uuidv7()", run_id="run", position="n")
        cursor.execute(FILL_EVENTS.format(columns=columns, values=values), [runs, A_RUN, run.pk])
        cursor.execute(FILL_OUTBOX, [runs])
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE runtime_event, runtime_outbox, runtime_run")
    print(f"{Event.objects.count():>9} events")


def copied(model: type[Run | Event], **other: str) -> tuple[str, str]:
    """The columns of a row to copy, and where each comes from."""
    fields = model._meta.concrete_fields  # noqa: SLF001
    names = [field.attname for field in fields if not field.generated]
    return ", ".join(names), ", ".join(other.get(name, f"one.{name}") for name in names)


@contextmanager
def without_checks(cursor: Any) -> Iterator[None]:
    """Only what is known to be whole is copied; checking each reference takes minutes."""
    cursor.execute("SET session_replication_role = replica")
    yield
    cursor.execute("SET session_replication_role = origin")


if __name__ == "__main__":
    main()
