"""A lost answer is looked up before anything else; an intent pays out at most once."""

from __future__ import annotations

from datetime import datetime
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest

from tests.scenarios.refunds import wait_until


@pytest.fixture(scope="module")
def lost(desk):
    """Refunds that each meet a fault of their own, all approved at about the same time."""
    faults: dict[str, dict[str, Any]] = {
        "answer": {"kind": "drop_answer"},
        "request": {"kind": "drop_request"},
        "for_ever": {"kind": "status", "status": 500, "after_commit": True, "times": 1_000},
        "truncated": {"kind": "truncate"},
        "empty": {"kind": "empty"},
        "throttled": {"kind": "status", "status": 429, "times": 3},
        "foreign": {"kind": "drop_request"},
    }
    refunds = {name: desk.refund() for name in faults}
    foreign = desk.stack.sandbox.refund_by_someone_else(refunds["foreign"].payment, 500)
    for name, fault in faults.items():
        desk.fault(refunds[name], **fault)
        assert refunds[name].decide("reviewer").status_code == 200
    return SimpleNamespace(**refunds, foreign_id=foreign["id"])


def names_of(refund):
    """The key and the reference of each request, once."""
    found = [(entry["key"], entry["metadata"]["external_request_id"]) for entry in refund.requests]
    return list(dict.fromkeys(found))


def between(sequence, first, second):
    return sequence[sequence.index(first) : sequence.index(second)]


def test_e1_an_answer_lost_after_the_commit_is_looked_up_and_adopted(lost):
    ended = lost.answer.when_confirmed()

    unknown = between(lost.answer.events, "tool.call.result_unknown", "tool.call.completed")
    assert ("tool.call.reconciling" in unknown, "tool.attempt.opened" in unknown) == (True, False)
    dealings = lost.answer.dealings
    assert dealings[dealings.index("pay") + 1] == "look"
    assert (lost.answer.payouts, len(lost.answer.requests)) == (1, 1)
    assert ended["id"] == lost.answer.call["id"]
    assert names_of(lost.answer)[0][1] == ended["external_request_id"]
    assert (ended["execution_status"], ended["reconciliation_status"]) == ("completed", "resolved")


def test_e2_a_request_lost_on_the_way_is_looked_up_and_sent_again_under_the_same_key(lost):
    ended = lost.request.when_confirmed()

    dealings = lost.request.dealings
    first, second = (place for place, deed in enumerate(dealings) if deed == "pay")
    assert "look" in dealings[first + 1 : second]
    assert (lost.request.payouts, len(lost.request.requests)) == (1, 2)
    ((_, reference),) = names_of(lost.request)
    assert (ended["id"], reference) == (lost.request.call["id"], ended["external_request_id"])


def test_e5_a_provider_that_answers_500_for_ever_after_the_commit_is_resolved_by_look_up(lost):
    ended = lost.for_ever.when_confirmed()

    assert ended["execution_status"] == "completed"
    assert (lost.for_ever.payouts, len(lost.for_ever.requests)) == (1, 1)


@pytest.mark.parametrize("name", ["truncated", "empty"])
def test_e6_a_success_nobody_can_read_is_unknown_neither_failed_nor_done(lost, name):
    refund = getattr(lost, name)

    refund.when_confirmed()

    unknown = between(refund.events, "tool.call.result_unknown", "tool.call.completed")
    assert "tool.call.reconciling" in unknown
    assert "tool.call.failed" not in refund.events
    assert (refund.payouts, len(refund.requests)) == (1, 1)


def test_e7_throttled_three_times_it_waits_longer_each_time_and_keeps_its_key(lost):
    ended = lost.throttled.when_confirmed()

    closes = [attempt["close"] for attempt in ended["attempts"]]
    assert closes == ["throttled", "throttled", "throttled", "answered"]
    assert "tool.call.result_unknown" not in lost.throttled.events
    assert (lost.throttled.payouts, len(lost.throttled.requests)) == (1, 4)
    assert len(names_of(lost.throttled)) == 1
    closed = [datetime.fromisoformat(attempt["closed_at"]) for attempt in ended["attempts"]]
    pauses = [(after - before).total_seconds() for before, after in pairwise(closed)]
    assert [pause >= least for pause, least in zip(pauses, (1, 2, 4), strict=True)] == [True] * 3


def test_e9_a_foreign_refund_of_the_same_amount_is_not_taken_for_ours(lost):
    ended = lost.foreign.when_confirmed()

    assert ended["result_ref"] != lost.foreign_id
    assert (lost.foreign.payouts, len(names_of(lost.foreign))) == (1, 1)


def test_e5_a_stop_meanwhile_leaves_only_look_ups(desk):
    refund = desk.refund()
    desk.fault(refund, "status", times=1_000, status=500, after_commit=True)
    refund.decide("reviewer")
    refund.when_status("result_unknown", "reconciling")

    refund.command("reviewer", "stop")

    refund.when_confirmed()
    assert (refund.payouts, len(refund.requests)) == (1, 1)


def test_e8_what_someone_else_refunded_first_is_refused_on_the_facts(desk):
    refund = desk.refund(payment=desk.payment(500))
    wait_until(lambda: "payment.observed" in refund.events)
    desk.stack.sandbox.refund_by_someone_else(refund.payment, 500)

    assert refund.decide("reviewer").status_code == 200

    assert refund.when_over()["execution_status"] == "refused"
    assert (refund.payouts, refund.requests) == (0, [])


FAULTS = [
    {"kind": "drop_answer"},
    {"kind": "drop_request"},
    {"kind": "truncate"},
    {"kind": "empty"},
    {"kind": "delay", "seconds": 7},
    {"kind": "status", "status": 500},
    {"kind": "status", "status": 503, "after_commit": True},
    {"kind": "status", "status": 409},
    {"kind": "status", "status": 429},
    {"kind": "status", "status": 401},
]


@pytest.mark.drill
@pytest.mark.parametrize("first", FAULTS, ids=str)
@pytest.mark.parametrize("second", FAULTS, ids=str)
def test_whatever_two_faults_a_refund_meets_it_pays_out_once(desk, first, second):
    refund = desk.refund()
    desk.fault(refund, **first)
    desk.fault(refund, **second)

    refund.decide("reviewer")

    ended = refund.when_over(within=90)
    assert ended["verification_status"] == "confirmed_success"
    assert (refund.payouts, len(names_of(refund))) == (1, 1)
