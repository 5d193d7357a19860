"""A timer that is missing comes back, once for all relays, and only where there is work."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.db.models import F

from runtime import relay, sweeps
from runtime.event_log import database_now
from runtime.models import Run, Sweep, Timer
from runtime.sweeps import Search, sweep, without_timer
from tests.runtime.logs import started_run

pytestmark = pytest.mark.django_db(transaction=True)
KIND = "test.run"


def runs_without_timer() -> sweeps.Found:
    runs = without_timer(KIND, Run.objects.filter(ended_as=None))
    return runs.annotate(run_id=F("pk")).values_list("pk", "run_id")


@pytest.fixture(autouse=True)
def _only(monkeypatch) -> None:
    """One search: every run is to have a timer."""
    search = Search(
        kind=KIND,
        find=runs_without_timer,
        every=timedelta(minutes=1),
        grace=timedelta(seconds=5),
    )
    monkeypatch.setattr(sweeps, "searches", {"runs": search})


@pytest.fixture
def run() -> Run:
    return started_run().run


def look_again() -> None:
    """Let the time of the next search come."""
    Sweep.objects.update(due_at=database_now())


def test_what_may_be_claimed_and_has_no_timer_gets_one_after_its_grace(run):
    before = database_now()

    assert sweep() == 1

    timer = Timer.objects.get()
    assert (timer.kind, timer.subject, timer.run_id) == (KIND, run.pk, run.pk)
    assert timer.due_at >= before + timedelta(seconds=5)


def test_a_search_waits_until_its_time_has_come(run):
    sweep()
    Timer.objects.all().delete()

    assert sweep() == 0
    look_again()
    assert sweep() == 1


def test_a_timer_that_is_there_stays_as_it_is(run):
    sweep()
    before = Timer.objects.values().get()
    look_again()

    assert sweep() == 0
    assert Timer.objects.values().get() == before


def test_a_relay_sweeps_in_its_turn(run):
    assert relay.turn() is True
    assert Timer.objects.count() == 1


def test_a_search_that_another_relay_is_at_is_left_to_it(run):
    sweep()
    Timer.objects.all().delete()
    look_again()
    is_held, may_end = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            Sweep.objects.select_for_update().get()
            is_held.set()
            may_end.wait(30)
        connection.close()

    with ThreadPoolExecutor(1) as pool:
        holder = pool.submit(hold)
        is_held.wait(30)
        assert sweep() == 0
        may_end.set()
        holder.result(30)

    assert sweep() == 1


def test_only_so_many_come_back_at_once(monkeypatch):
    monkeypatch.setattr(sweeps, "MOST", 2)
    for _ in range(3):
        started_run()

    found = [sweep()]
    look_again()
    found.append(sweep())

    assert found == [2, 1]
