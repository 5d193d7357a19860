"""E3, E4: a worker dies, or sleeps through its lease, exactly between two of its steps."""

from __future__ import annotations

import json
import os
import time
from signal import SIGCONT, SIGKILL

import pytest

from tests.scenarios.drills.flights import check
from tests.scenarios.refunds import Desk, wait_until
from tests.stack import running_stack

POINTS = (
    "before_intent",
    "after_intent",
    "after_sent",
    "after_write",
    "after_answer",
    "after_record",
)
KILLS = 5
# What a sleeper still means to do, it does at once.
AWAKE_S = 2


@pytest.fixture(scope="module", params=POINTS)
def halting(request):
    """A stack in which the next worker to reach the point halts there."""
    with running_stack("--no-tickets", PAUSE_AT=request.param) as stack:
        yield Desk(stack)
        assert check(Desk(stack)) == []


def halted(desk):
    """Wait for a worker to halt and answer its pid; the next one to get there halts too."""
    path = desk.stack.data_dir / "paused.json"
    wait_until(path.exists, within=60)
    pid = json.loads(path.read_text())["pid"]
    wait_until(lambda: state_of(pid) == "T")
    path.unlink()
    return pid


def state_of(pid):
    with open(f"/proc/{pid}/stat") as stat:  # noqa: PTH123 - not a file of ours
        return stat.read().rpartition(")")[2].split()[0]


def assert_paid_once(refund):
    ended = refund.when_over(within=120)
    assert ended["verification_status"] == "confirmed_success"
    assert (refund.payouts, refund.events.count("approval.consumed")) == (1, 1)


@pytest.mark.drill
@pytest.mark.parametrize("round_number", range(4))
def test_e3_a_worker_killed_between_two_steps_pays_out_once(halting, round_number):
    refunds = []
    for _ in range(KILLS):
        refunds.append(halting.granted())
        os.kill(halted(halting), SIGKILL)

    # Who takes the last of them up passes the point as well.
    wait_until(lambda: release(halting, refunds), within=200)
    for refund in refunds:
        assert_paid_once(refund)


@pytest.mark.drill
@pytest.mark.parametrize("round_number", range(4))
def test_e4_a_worker_that_wakes_after_another_took_over_pays_nothing_more(halting, round_number):
    refund = halting.granted()
    sleeper = halted(halting)

    try:
        wait_until(lambda: release(halting, [refund]), within=120)
    finally:
        os.kill(sleeper, SIGCONT)

    time.sleep(AWAKE_S)
    assert_paid_once(refund)


def release(desk, refunds):
    """Let whoever halts on the way go on, until all is over."""
    path = desk.stack.data_dir / "paused.json"
    if path.exists():
        os.kill(halted(desk), SIGCONT)
    return all(refund.now["verification_status"] == "confirmed_success" for refund in refunds)
