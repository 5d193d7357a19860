"""The workspace's facts by number: complete up to its head, the same bytes for every reader."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import pytest
from django.db import connection, transaction

from console.api import feed
from runtime import relay
from runtime.event_log import lock_run
from runtime.events import RunStopRequested
from runtime.models import Event, Outbox
from runtime.projections import record_run
from tests.console.api.requests import start
from tests.runtime.logs import CAUSE

pytestmark = pytest.mark.django_db(transaction=True)


def append(run: str, times=1) -> None:
    for _ in range(times):
        with transaction.atomic(durable=True):
            record_run(lock_run(UUID(run), cause=CAUSE), RunStopRequested(reason=None))
    connection.close()


def read(program, **query: Any) -> dict[str, Any]:
    page: dict[str, Any] = program.get("/events", query).json()
    return page


def positions(page: dict[str, Any]) -> list[tuple[int, str, int]]:
    return [(each["pos"], each["run"], each["position"]) for each in page["events"]]


def test_what_a_relay_has_numbered_can_be_read_and_nothing_else(here, elsewhere):
    run, other = start(here.agent), start(elsewhere.agent)
    assert read(here.reviewer)["events"] == []

    relay.turn()
    append(run)

    assert positions(read(here.reviewer)) == [(1, run, 1)]
    assert positions(read(elsewhere.support)) == [(1, other, 1)]
    assert read(here.reviewer)["feed"] == str(here.workspace.pk)


def test_an_event_is_what_its_run_shows_with_its_number(here):
    run = start(here.agent)
    relay.turn()

    (event,) = read(here.admin)["events"]

    (same,) = here.admin.get(f"/runs/{run}/events").json()["events"]
    assert event == same | {"pos": 1}


def test_pages_lead_on_to_the_head(here):
    run = start(here.agent)
    append(run, 4)
    relay.turn()

    first = read(here.reviewer, limit=3)
    second = read(here.reviewer, after=first["next"], limit=3)
    beyond = read(here.reviewer, after=9)

    assert [each[0] for each in positions(first) + positions(second)] == [1, 2, 3, 4, 5]
    assert [(page["next"], page["head"]) for page in (first, second, beyond)] == [
        (3, 5),
        (5, 5),
        (9, 5),
    ]


def test_a_rare_type_is_looked_for_a_stretch_at_a_time(here, monkeypatch):
    monkeypatch.setattr(feed, "LOOKED_AT", 3)
    append(start(here.agent), 4)
    start(here.agent)
    relay.turn()

    pages = [read(here.reviewer, type="run.started", after=after) for after in (0, 3)]

    assert [[each[0] for each in positions(page)] for page in pages] == [[1], [6]]
    assert [(page["next"], page["head"]) for page in pages] == [(3, 6), (6, 6)]


def test_an_agent_is_refused_and_told_of_nothing(here):
    start(here.agent)
    relay.turn()

    answer = here.agent.get("/events")

    assert (answer.status_code, answer.json()["code"]) == (403, "not_authorized")


class Reader:
    """Follows the feed by its cursor as a program does, and reads everything again each time."""

    def __init__(self, program) -> None:
        self.program = program
        self.after = 0
        self.seen: dict[int, dict[str, Any]] = {}

    def look(self) -> None:
        for page in (read(self.program, after=self.after), read(self.program)):
            numbers = [event["pos"] for event in page["events"]]
            if numbers:
                assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
            for event in page["events"]:
                assert self.seen.setdefault(event["pos"], event) == event
        self.after = max(self.seen, default=0)
        assert sorted(self.seen) == list(range(1, self.after + 1))

    def follow(self, done: threading.Event) -> None:
        while not done.is_set():
            self.look()
        connection.close()


def relay_until(done: threading.Event) -> None:
    while not done.is_set():
        relay.turn()
    connection.close()


def race(here, *, writers: int, facts: int) -> tuple[Reader, Reader]:
    runs = [start(here.agent) for _ in range(writers)]
    readers = Reader(here.reviewer), Reader(here.support)
    written, done = threading.Event(), threading.Event()

    with ThreadPoolExecutor(writers + 4) as pool:
        relays = [pool.submit(relay_until, done) for _ in range(2)]
        following = [pool.submit(reader.follow, written) for reader in readers]
        for each in [pool.submit(append, run, facts) for run in runs]:
            each.result(60)
        written.set()
        for each in following:
            each.result(60)
        done.set()
        for each in relays:
            each.result(60)
    relay.turn()
    for reader in readers:
        reader.look()
    return readers


def check(readers: tuple[Reader, Reader]) -> None:
    one, other = readers
    assert one.seen == other.seen
    shown = sorted((event["run"], event["position"]) for event in one.seen.values())
    stored = Event.objects.order_by("run_id", "position").values_list("run_id", "position")
    assert shown == sorted((str(run), position) for run, position in stored)
    assert Outbox.objects.count() == len(one.seen)


def test_two_readers_of_one_number_see_the_same_and_no_gap_is_filled_later(here):
    check(race(here, writers=3, facts=8))


@pytest.mark.drill
@pytest.mark.parametrize("_round", range(12))
def test_whatever_readers_writers_and_relays_do_at_once(here, _round):
    check(race(here, writers=5, facts=15))
