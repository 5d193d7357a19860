"""E14: the broker carries hints; whatever it loses, repeats or withholds, every run ends right."""

from __future__ import annotations

import random
import time

import httpx
import pytest
import redis
from celery import Celery

from console.embedded.data_dir import resolve
from tests.scenarios.drills.flights import assert_landed, take_off
from tests.scenarios.processes import held_down, held_up, need

AWAY_S = 30
ANSWERED_WITHIN_S = 5


def broker_of(stack):
    return resolve(stack.data_dir, stack.environment)


def deliver(stack, refunds, *, seed):
    """Publish every wake-up of these several times, shuffled."""
    wake_ups = [
        (task, refund.call["id"])
        for refund in refunds
        for task in ("runtime.advance", "runtime.observe")
        for _ in range(8)
    ]
    random.Random(seed).shuffle(wake_ups)  # noqa: S311 - the same seed, the same order
    broker = Celery(broker=broker_of(stack).broker_url)
    broker.conf.task_routes = {"runtime.observe": {"queue": "reconcile"}}
    broker.conf.task_default_queue = "dispatch"
    for task, subject in wake_ups:
        broker.send_task(task, args=[subject])
    broker.close()


@pytest.mark.drill
@pytest.mark.parametrize("seed", range(3))
def test_e14_repeated_and_reordered_deliveries_move_nothing_twice(desk, seed):
    flight = take_off(desk)

    deliver(desk.stack, flight.refunds, seed=seed)
    for refund in flight.asked:
        assert refund.decide("reviewer").status_code == 200
    deliver(desk.stack, flight.refunds, seed=seed + 100)

    assert_landed(flight)
    deliver(desk.stack, flight.refunds, seed=seed + 200)
    time.sleep(1)
    assert_landed(flight)


@pytest.mark.drill
@pytest.mark.parametrize("wait_s", [0, 0.2, 1])
def test_e14_a_flushed_broker_loses_no_refund(desk, wait_s):
    flight = take_off(desk)
    time.sleep(wait_s)

    with redis.Redis.from_url(broker_of(desk.stack).redis_url) as broker:
        broker.flushall()
    for refund in flight.asked:
        assert refund.decide("reviewer").status_code == 200

    assert_landed(flight)


@pytest.mark.drill
@pytest.mark.parametrize("away", [held_down, held_up])
def test_e14_with_the_broker_away_people_decide_and_every_run_ends_right(desk, away):
    need(desk.stack, "valkey")
    flight = take_off(desk)

    with away(desk.stack, "valkey"):
        began = time.monotonic()
        answers = [refund.decide("reviewer") for refund in flight.asked]
        took = [answer.elapsed.total_seconds() for answer in answers]
        time.sleep(max(0, AWAY_S - (time.monotonic() - began)))
        page = httpx.get(f"{desk.stack.url}/healthz", trust_env=False)

    assert [answer.status_code for answer in answers] == [200, 200]
    assert [each for each in took if each > ANSWERED_WITHIN_S] == []
    assert page.status_code == 200
    assert_landed(flight)
