"""Processes die at the worst moments; every refund still ends once, and right."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from signal import SIGCONT, SIGSTOP

import httpx
import pytest

from runtime.models import ToolCall
from tests.scenarios.processes import WORKERS, kill, need, wait_for_restart
from tests.scenarios.refunds import new, wait_until
from tests.scenarios.stored import stored_in


def is_paid(refund):
    return refund.payouts == 1


def test_workers_killed_while_the_provider_keeps_them_waiting_pay_out_once(desk):
    waiting = [desk.refund() for _ in range(2)]
    for refund in waiting:
        desk.fault(refund, "delay", seconds=4)
        refund.decide("reviewer")
    for refund in waiting:
        wait_until(partial(is_paid, refund))

    killed = kill(desk.stack, *WORKERS)
    approved_meanwhile = desk.granted()

    wait_for_restart(desk.stack, killed)
    for refund in waiting:
        ended = refund.when_confirmed(within=60)
        assert (refund.payouts, len(refund.requests)) == (1, 1)
        assert (ended["execution_status"], ended["reconciliation_status"]) == (
            "completed",
            "resolved",
        )
    approved_meanwhile.when_confirmed()
    assert approved_meanwhile.payouts == 1


def test_a_relay_killed_before_a_lost_answer_is_looked_up_loses_no_timer(desk):
    refund = desk.refund()
    desk.fault(refund, "drop_answer")
    refund.decide("reviewer")
    refund.when_status("result_unknown", "reconciling")

    killed = kill(desk.stack, "relay")

    wait_for_restart(desk.stack, killed)
    refund.when_confirmed(within=60)
    assert (refund.payouts, len(refund.requests)) == (1, 1)


def test_s3_the_web_process_killed_under_a_decision_leaves_one_decision_that_a_retry_reports(desk):
    refund = desk.refund()
    seen, command = refund.approval, new("command")
    with ThreadPoolExecutor(8) as pool:
        clicks = [pool.submit(refund.decide, "reviewer", command_id=command) for _ in range(8)]
        killed = kill(desk.stack, "web")
    sent = [click.exception() for click in clicks]
    assert all(error is None or isinstance(error, httpx.TransportError) for error in sent)

    wait_for_restart(desk.stack, killed)
    again = desk.stack.api("reviewer").decide(seen, "approve", command_id=command)

    assert again.status_code == 200
    assert refund.events.count("approval.voted") == 1
    refund.when_confirmed()
    assert (refund.payouts, len(refund.requests)) == (1, 1)


@pytest.mark.drill
def test_the_sandbox_killed_after_it_paid_still_knows_and_is_asked(desk):
    refund = desk.refund()
    desk.fault(refund, "delay", seconds=4)
    refund.decide("reviewer")
    wait_until(lambda: refund.payouts == 1)

    killed = kill(desk.stack, "sandbox")

    wait_for_restart(desk.stack, killed)
    refund.when_confirmed(within=60)
    assert (refund.payouts, len(refund.requests)) == (1, 1)


@pytest.mark.drill
@pytest.mark.parametrize("wait_s", [each / 10 for each in range(20)])
def test_e3_workers_killed_anywhere_on_the_way_pay_out_at_most_once(desk, wait_s):
    refunds = [desk.granted() for _ in range(3)]
    time.sleep(wait_s)

    killed = kill(desk.stack, *WORKERS)

    wait_for_restart(desk.stack, killed)
    for refund in refunds:
        ended = refund.when_over(within=90)
        assert ended["verification_status"] == "confirmed_success"
        assert refund.payouts == 1


@pytest.mark.drill
def test_e4_a_worker_that_sleeps_through_its_lease_and_wakes_pays_out_once(desk, django_db_blocker):
    refund = desk.refund()
    desk.fault(refund, "delay", seconds=2)
    refund.decide("reviewer")
    wait_until(lambda: refund.payouts == 1)
    with django_db_blocker.unblock(), stored_in(desk.stack):
        owner = ToolCall.objects.get(pk=refund.call["id"]).lease_owner
    assert owner is not None
    sleeper = int(owner.split(":")[1])
    os.kill(sleeper, SIGSTOP)

    try:
        refund.when_confirmed(within=90)
    finally:
        os.kill(sleeper, SIGCONT)

    wait_until(lambda: "tool.attempt.answered_late" in refund.events)
    assert (refund.payouts, len(refund.requests)) == (1, 1)
    assert refund.now["verification_status"] == "confirmed_success"


@pytest.mark.drill
def test_e14_an_emptied_broker_costs_nothing_but_time(desk):
    need(desk.stack, "valkey")
    refunds = [desk.granted() for _ in range(3)]

    killed = kill(desk.stack, "valkey")
    refunds += [desk.granted() for _ in range(3)]

    wait_for_restart(desk.stack, killed)
    for refund in refunds:
        refund.when_confirmed(within=90)
        assert (refund.payouts, len(refund.requests)) == (1, 1)
