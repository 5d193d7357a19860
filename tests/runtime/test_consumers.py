"""A consumer takes every fact in once, in the feed's order, whichever relay hands it over."""

from __future__ import annotations

import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest
from django.db import connection, transaction

from runtime import consumers, relay
from runtime.consumers import consume, consume_all
from runtime.event_log import lock_run
from runtime.events import RunStopRequested
from runtime.ids import new_id
from runtime.models import Consumer, Heartbeat, Outbox
from runtime.projections import record_run
from tests.runtime.logs import CAUSE, started_run

pytestmark = pytest.mark.django_db(transaction=True)
NAME = "test"


def append(run_id: UUID, times=1) -> None:
    for _ in range(times):
        with transaction.atomic(durable=True):
            record_run(lock_run(run_id, cause=CAUSE), RunStopRequested(reason=None))
    connection.close()


def write(facts) -> None:
    """Keep each fact as a row of its own, as often as it comes."""
    for fact in facts:
        owner = f"{fact.envelope.run} {fact.position} {new_id()}"
        Heartbeat.objects.create(owner=owner, kind="taken", at=fact.occurred_at)


@pytest.fixture(autouse=True)
def only(monkeypatch) -> dict[str, consumers.Take]:
    """The one consumer there is."""
    found: dict[str, consumers.Take] = {NAME: write}
    monkeypatch.setattr(consumers, "consumers", found)
    return found


def taken() -> list[str]:
    owners = Heartbeat.objects.values_list("owner", flat=True)
    return sorted(owner.rpartition(" ")[0] for owner in owners)


def facts() -> list[str]:
    rows = Outbox.objects.exclude(pos=None).values_list("run_id", "position")
    return sorted(f"{run} {position}" for run, position in rows)


def cursor() -> int:
    return Consumer.objects.get(name=NAME).pos


def test_a_consumer_takes_in_what_is_numbered_and_its_cursor_follows():
    run = started_run().run
    append(run.pk, 2)
    assert consume_all() == 0

    relay.turn()
    append(run.pk)

    assert (taken(), cursor()) == (facts(), 3)
    assert consume_all() == 0


def test_facts_come_in_the_order_of_their_numbers(only, monkeypatch):
    seen: list[tuple[UUID, int]] = []
    monkeypatch.setattr(consumers, "BATCH", 2)
    only[NAME] = lambda facts: seen.extend((each.envelope.run, each.position) for each in facts)
    first, second = started_run().run.pk, started_run().run.pk
    append(second)
    append(first)

    while relay.turn():
        pass

    assert seen == list(Outbox.objects.order_by("pos").values_list("run_id", "position"))
    assert len(seen) == 4


def test_what_a_consumer_wrote_before_it_failed_is_gone_and_comes_again(only, caplog):
    started_run()

    def fail(facts) -> None:
        write(facts)
        raise ValueError("no more of this")

    only[NAME] = fail
    with caplog.at_level(logging.CRITICAL):
        relay.turn()
    assert (taken(), Consumer.objects.count()) == ([], 0)

    only[NAME] = write
    relay.turn()

    assert (taken(), cursor()) == (facts(), 1)


def test_a_consumer_that_fails_stops_no_other(only, caplog):
    started_run()

    def fail(_facts) -> None:
        raise ValueError("always")

    only.clear()
    only.update({"bad": fail, NAME: write})
    with caplog.at_level(logging.CRITICAL):
        relay.turn()

    assert (taken(), cursor()) == (facts(), 1)


def test_a_consumer_that_another_relay_is_at_is_left_to_it():
    workspace = started_run().run.workspace_id
    relay.number_outbox(workspace)
    Consumer.objects.create(name=NAME, workspace_id=workspace)
    is_held, may_end = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            consumers.lock_cursor(NAME, workspace)
            is_held.set()
            may_end.wait(30)
        connection.close()

    with ThreadPoolExecutor(1) as pool:
        holder = pool.submit(hold)
        is_held.wait(30)
        assert consume(NAME, workspace) == 0
        may_end.set()
        holder.result(30)

    assert consume(NAME, workspace) == 1


@pytest.mark.drill
@pytest.mark.parametrize("_round", range(8))
def test_three_relays_and_three_writers_double_nothing_and_lose_nothing(_round):
    runs = [started_run().run.pk for _ in range(3)]
    done = threading.Event()

    def relay_until_done() -> None:
        while not done.is_set():
            relay.turn()
        connection.close()

    with ThreadPoolExecutor(6) as pool:
        relays = [pool.submit(relay_until_done) for _ in range(3)]
        for writer in [pool.submit(append, run, 20) for run in runs]:
            writer.result(60)
        done.set()
        for each in relays:
            each.result(60)
    while relay.turn():
        pass

    assert taken() == facts()
    assert cursor() == len(facts()) == 3 * 21
