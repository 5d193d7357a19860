"""Relays that are killed, really, wherever they are: nothing is lost, nothing is doubled."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import pytest
from django.db import connection, transaction

from console.embedded.data_dir import layout
from runtime.event_log import lock_run
from runtime.events import RunStopRequested
from runtime.models import Consumer, Event, Outbox, Run, SearchTerm, WorkspaceFeed
from runtime.projections import record_run
from runtime.search import search_differences
from tests.factories import World, make_call, make_run, make_world
from tests.runtime.logs import CAUSE
from tests.runtime.relay.processes import Crew, wait_for

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.drill]
numbers = count(1)


@pytest.fixture
def world(transactional_db) -> World:
    return make_world()


@pytest.fixture
def crew(tmp_path) -> Iterator[Crew]:
    with Crew(where=layout(tmp_path / "data")) as crew:
        crew.start_valkey()
        yield crew


def start_relay(crew: Crew, **environment: str) -> str:
    """Answer the name that another relay may be started beside."""
    name = f"relay {next(numbers)}"
    crew.start("relay", **environment)
    crew.running[name] = crew.running.pop("relay")
    return name


def is_done() -> bool:
    """Everything has its number and was taken in."""
    heads = dict(WorkspaceFeed.objects.values_list("workspace", "pos"))
    taken = dict(Consumer.objects.values_list("workspace", "pos"))
    return not Outbox.objects.filter(pos=None).exists() and heads == taken


def check(world: World) -> None:
    """Each fact once, numbered without a hole, its run's in order; the index as the log says."""
    rows = list(Outbox.objects.order_by("pos").values_list("pos", "run_id", "position"))
    assert [pos for pos, _, _ in rows] == list(range(1, len(rows) + 1))
    for run in Run.objects.filter(workspace=world.workspace):
        positions = [position for _, run_id, position in rows if run_id == run.pk]
        assert positions == list(range(1, run.head + 1))
        with transaction.atomic():
            assert list(search_differences(run)) == []
    assert len(rows) == Event.objects.count() == WorkspaceFeed.objects.get().pos


@pytest.mark.parametrize("point", ["after_number", "before_cursor"])
@pytest.mark.parametrize("round_", range(3))
def test_a_relay_killed_at_a_point_leaves_the_rest_to_another(world, crew, point, round_):
    doomed = start_relay(crew, PAUSE_AT=point, COUNTERSIGN_DEMO="True")
    calls = [make_call(world) for _ in range(3)]
    paused = crew.where.root / "paused.json"
    wait_for(paused.exists)
    assert json.loads(paused.read_text()) == {"point": point, "pid": crew.running[doomed].pid}

    start_relay(crew)
    calls.append(make_call(world))
    crew.kill(doomed)
    wait_for(is_done)

    check(world)
    assert SearchTerm.objects.count() == 2 * len(calls)


def wait_for_more() -> None:
    """Somebody has numbered something since this was asked for."""
    numbered = Outbox.objects.exclude(pos=None)
    before = numbered.count()
    wait_for(lambda: numbered.count() > before)


class Writers:
    """Three that go on writing, and one whose transaction stays open all the while."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.held = make_run(world)
        self.over = threading.Event()

    def write(self) -> None:
        while not self.over.is_set():
            make_call(self.world)
        connection.close()

    def hold(self) -> None:
        with transaction.atomic(durable=True):
            locked = lock_run(self.held.pk, cause=CAUSE)
            record_run(locked, RunStopRequested(reason=None))
            self.over.wait(120)
        connection.close()


@pytest.mark.parametrize("round_", range(4))
def test_two_relays_killed_again_and_again_lose_nothing_and_double_nothing(world, crew, round_):
    chance = random.Random(round_)  # noqa: S311 - the same round, the same moments
    writers = Writers(world)
    relays = [start_relay(crew), start_relay(crew)]

    with ThreadPoolExecutor(4) as pool:
        works = [pool.submit(writers.hold), *(pool.submit(writers.write) for _ in range(3))]
        for _ in range(6):
            wait_for_more()
            time.sleep(chance.random())
            crew.kill(relays.pop(0))
            relays.append(start_relay(crew))
        writers.over.set()
        for work in works:
            work.result(60)
    wait_for(is_done)

    check(world)
    assert Outbox.objects.filter(run=writers.held).count() == 2
