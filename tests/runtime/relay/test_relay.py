"""The outbox gets contiguous numbers and timers fire, however many relays are at work."""

from __future__ import annotations

import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from uuid import UUID

import pytest
from django.db import connection, transaction

from runtime import relay, timers
from runtime.calls import ADVANCE
from runtime.celery import app
from runtime.event_log import database_now, lock_run
from runtime.events import RunStopRequested
from runtime.ids import new_id
from runtime.models import Outbox, Run, Timer, WorkspaceFeed
from runtime.projections import record_run
from tests.runtime.logs import CAUSE, started_run

pytestmark = pytest.mark.django_db(transaction=True)


def append(run_id: UUID) -> None:
    with transaction.atomic(durable=True):
        record_run(lock_run(run_id, cause=CAUSE), RunStopRequested(reason=None))


def numbers() -> list[int | None]:
    return list(Outbox.objects.order_by("pos").values_list("pos", flat=True))


def relay_until(done: threading.Event) -> None:
    while not done.is_set():
        relay.turn()
    connection.close()


def append_many(run_id: UUID, times: int) -> None:
    for _ in range(times):
        append(run_id)
    connection.close()


def test_two_relays_and_three_writers_leave_no_gap_and_no_double():
    runs = [started_run().run.pk for _ in range(3)]
    done = threading.Event()

    with ThreadPoolExecutor(5) as pool:
        relays = [pool.submit(relay_until, done) for _ in range(2)]
        for writer in [pool.submit(append_many, run, 15) for run in runs]:
            writer.result(60)
        done.set()
        for each in relays:
            each.result(60)
    relay.turn()

    assert numbers() == list(range(1, 3 * 16 + 1))
    assert WorkspaceFeed.objects.get().pos == 3 * 16
    for run in runs:
        in_feed = Outbox.objects.filter(run_id=run).order_by("pos")
        assert list(in_feed.values_list("position", flat=True)) == list(range(1, 17))


def test_a_writer_held_open_holds_nobody_up_and_is_numbered_when_it_commits():
    slow, quick = started_run().run.pk, started_run().run.pk
    relay.turn()
    is_written, may_commit = threading.Event(), threading.Event()

    def write_slowly() -> None:
        with transaction.atomic(durable=True):
            record_run(lock_run(slow, cause=CAUSE), RunStopRequested(reason=None))
            is_written.set()
            may_commit.wait(30)
        connection.close()

    with ThreadPoolExecutor(1) as pool:
        writer = pool.submit(write_slowly)
        is_written.wait(30)
        append(quick)
        relay.turn()
        assert list(Outbox.objects.filter(pos=3).values_list("run_id", flat=True)) == [quick]
        may_commit.set()
        writer.result(30)
    relay.turn()

    assert list(Outbox.objects.filter(pos=4).values_list("run_id", flat=True)) == [slow]
    assert numbers() == [1, 2, 3, 4]


def test_a_relay_that_finds_the_feed_taken_goes_on():
    workspace = started_run().run.workspace_id
    WorkspaceFeed.objects.create(workspace_id=workspace)
    is_taken, may_end = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            WorkspaceFeed.objects.select_for_update().get(workspace_id=workspace)
            is_taken.set()
            may_end.wait(30)
        connection.close()

    with ThreadPoolExecutor(1) as pool:
        holder = pool.submit(hold)
        is_taken.wait(30)
        assert relay.number_outbox(workspace) == 0
        may_end.set()
        holder.result(30)

    assert relay.number_outbox(workspace) == 1


def test_an_idle_turn_does_nothing():
    assert relay.turn() is False


def set_timer(kind: str, run: Run | None, *, due_in=timedelta(0)) -> UUID:
    subject = new_id()
    timers.set_timer(kind, run=run, subject=subject, due_at=database_now() + due_in)
    return subject


@pytest.mark.parametrize(
    ("kind", "task", "lane"),
    [
        ("call.advance", "runtime.advance", "dispatch"),
        ("notice.take", "runtime.take_notice", "reconcile"),
    ],
)
def test_what_is_due_for_a_worker_wakes_one_and_its_timer_comes_again(kind, task, lane):
    with app.connection_for_write() as broker:
        queue = broker.SimpleQueue(lane)
        queue.clear()
        subject = set_timer(kind, started_run().run if kind == ADVANCE else None)
        before = database_now()

        assert relay.fire_due() == 1

        message = queue.get(timeout=5)
        message.ack()
        queue.close()
    assert message.headers["task"] == task
    assert message.payload[0] == [str(subject)]
    timer = Timer.objects.get()
    assert (timer.fired, timer.due_at > before) == (1, True)


def test_a_timer_that_is_not_due_stays_silent():
    set_timer(ADVANCE, started_run().run, due_in=timedelta(minutes=1))

    assert relay.fire_due() == 0
    assert Timer.objects.get().fired == 0


@pytest.fixture
def seen(monkeypatch) -> list[UUID]:
    """Subjects of the timers of kind "test.seen", which a failing kind comes before."""
    found: list[UUID] = []

    def fail(_subject: UUID) -> None:
        raise ValueError("this one always fails")

    monkeypatch.setitem(timers.handlers, "test.fails", fail)
    monkeypatch.setitem(timers.handlers, "test.seen", found.append)
    return found


def test_a_timer_that_fails_or_is_unknown_stops_no_other(seen, caplog):
    run = started_run().run
    set_timer("test.fails", run)
    set_timer("test.nobody_knows", run)
    subject = set_timer("test.seen", run)

    with caplog.at_level(logging.CRITICAL):
        assert relay.fire_due() == 3

    assert seen == [subject]
    assert set(Timer.objects.values_list("fired", flat=True)) == {1}


def test_two_relays_never_take_the_same_timer(seen):
    run = started_run().run
    subjects = {set_timer("test.seen", run) for _ in range(30)}

    def fire() -> None:
        relay.fire_due()
        connection.close()

    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(fire) for _ in range(2)]:
            done.result(30)

    assert sorted(seen) == sorted(subjects)
