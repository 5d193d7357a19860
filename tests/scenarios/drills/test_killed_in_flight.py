"""Whatever process dies while refunds are under way, each of them ends once, and right."""

from __future__ import annotations

import random
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.scenarios.drills.flights import assert_landed, decide_meanwhile, take_off
from tests.scenarios.processes import KINDS, kill, need, wait_for_restart


@pytest.mark.drill
@pytest.mark.parametrize("kind", KINDS)
def test_a_process_killed_in_flight_costs_nothing_but_time(desk, kind):
    need(desk.stack, *KINDS[kind])
    flight = take_off(desk)

    with ThreadPoolExecutor() as pool:
        decisions = decide_meanwhile(flight, pool)
        killed = kill(desk.stack, *KINDS[kind])

    wait_for_restart(desk.stack, killed)
    assert [decision.result().status_code for decision in decisions] == [200, 200]
    assert_landed(flight)


@pytest.mark.drill
@pytest.mark.parametrize("seed", range(10))
def test_processes_killed_at_random_in_flight_cost_nothing_but_time(desk, seed):
    chance = random.Random(seed)  # noqa: S311 - the same seed, the same deaths
    names = [name for names in KINDS.values() for name in names]
    need(desk.stack, *names)
    flight = take_off(desk)
    killed: dict[str, int] = {}

    with ThreadPoolExecutor() as pool:
        decisions = decide_meanwhile(flight, pool)
        for name in chance.sample(sorted(set(names)), 3):
            time.sleep(chance.uniform(0, 1.5))
            killed |= kill(desk.stack, name)

    wait_for_restart(desk.stack, killed)
    assert [decision.result().status_code for decision in decisions] == [200, 200]
    assert_landed(flight)
