from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection, transaction

from runtime.errors import MalformedEventError, UnknownEventError, UnsafeTextError
from runtime.event_log import lock_run, read
from runtime.event_types import GENESIS, decode
from runtime.events import RunStopRequested, ToolCallCancelled
from runtime.models import Event, Outbox
from runtime.verify import log_differences
from tests.runtime.logs import CAUSE, started_run

WRITERS = 16
FACTS = 5
FACT = RunStopRequested(reason=None)


@pytest.fixture
def run(db):
    return started_run().run


def append(run, *payloads):
    with transaction.atomic():
        locked = lock_run(run.pk, cause=CAUSE)
        return [locked.append(payload) for payload in payloads]


def tamper(sql, run):
    """Change stored history the one way that is left: by taking the trigger off."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE runtime_event DISABLE TRIGGER runtime_event_is_append_only")
        cursor.execute(sql, [run.pk])
        cursor.execute(
            "ALTER TABLE runtime_event ENABLE ALWAYS TRIGGER runtime_event_is_append_only"
        )


def test_reading_gives_back_what_was_appended(run):
    appended = append(run, FACT, FACT)

    assert list(read(run.pk, after=1)) == appended
    assert [fact.payload for fact in appended] == [FACT, FACT]


def test_every_fact_is_announced_once(run):
    append(run, FACT, FACT)

    assert list(Outbox.objects.filter(run=run).values_list("position", "pos")) == [
        (1, None),
        (2, None),
        (3, None),
    ]


def test_a_chain_begins_at_nothing_and_links_each_fact_to_the_one_before(run):
    append(run, FACT, FACT)
    rows = list(Event.objects.filter(run=run).order_by("position"))

    assert [row.prev_hash for row in rows] == [GENESIS, rows[0].hash, rows[1].hash]
    assert list(log_differences(run.pk)) == []


@pytest.mark.parametrize(
    "change",
    [
        "body = replace(body, 'refunds', 'refundz')",
        "actor = 'person:0'",
        "occurred_at = occurred_at + interval '1 microsecond'",
        "recorded_at = recorded_at + interval '1 microsecond'",
        "producer = 'forger'",
    ],
)
def test_a_changed_fact_is_named(run, change):
    append(run, FACT)
    tamper(f"UPDATE runtime_event SET {change} WHERE position = 1 AND run_id = %s", run)

    assert list(log_differences(run.pk)) == [
        f"run {run.pk}, position 1: run.started is not what was recorded"
    ]


def test_a_removed_tail_is_named(run):
    append(run, FACT)
    tamper("DELETE FROM runtime_event WHERE position = 2 AND run_id = %s", run)

    assert list(log_differences(run.pk)) == [
        f"run {run.pk}: the log ends at 1, the run's head says 2"
    ]


def test_a_fact_removed_from_the_middle_is_named(run):
    append(run, FACT, FACT)
    tamper("DELETE FROM runtime_event WHERE position = 2 AND run_id = %s", run)

    assert list(log_differences(run.pk)) == [
        f"run {run.pk}, position 3: position 2 is missing",
        f"run {run.pk}, position 3: not chained to the event before it",
    ]


def test_an_unknown_event_stops_the_reader():
    with pytest.raises(UnknownEventError):
        decode("tool.call.teleported", 1, "{}")


def test_an_extra_field_stops_the_reader():
    body = '{"code": "withdrawn", "colour": "blue"}'

    with pytest.raises(MalformedEventError):
        decode("tool.call.cancelled", 1, body)


@pytest.mark.parametrize("text", ["nul \x00", "half a pair \ud83d"])
def test_text_that_no_store_can_keep_is_refused_and_takes_no_position(run, text):
    with pytest.raises(UnsafeTextError):
        append(run, ToolCallCancelled(code=text))

    assert list(Event.objects.filter(run=run).values_list("position", flat=True)) == [1]


@pytest.mark.django_db(transaction=True)
def test_many_writers_leave_no_gap_and_become_visible_in_order():
    race_many_writers()


@pytest.mark.drill
@pytest.mark.parametrize("_round", range(12))
@pytest.mark.django_db(transaction=True)
def test_many_writers_round_after_round(_round):
    race_many_writers()


def race_many_writers():
    run = started_run().run
    start = Barrier(WRITERS + 1)
    seen = []

    def write(_):
        start.wait()
        for _ in range(FACTS):
            append(run, FACT)
        connection.close()

    with ThreadPoolExecutor(WRITERS) as pool:
        writing = [pool.submit(write, number) for number in range(WRITERS)]
        start.wait()
        while not all(each.done() for each in writing):
            seen.append(list(Event.objects.filter(run=run).values_list("position", flat=True)))
        for each in writing:
            each.result()

    last = WRITERS * FACTS + 1
    assert list(Event.objects.filter(run=run).values_list("position", flat=True)) == list(
        range(1, last + 1)
    )
    # Whoever has seen position n has seen every position before it.
    assert [sorted(look) for look in seen] == [list(range(1, len(look) + 1)) for look in seen]
    assert list(log_differences(run.pk)) == []
