"""A lost answer is looked up before anything else; an intent pays out at most once."""

from __future__ import annotations

from datetime import datetime
from itertools import pairwise

import pytest


def identity(call):
    names = ("id", "idempotency_key", "external_request_id")
    return tuple(call[name] for name in names)


def keys_of(refund):
    return {entry["key"] for entry in refund.requests}


def test_e1_an_answer_lost_after_the_commit_is_looked_up_and_adopted(desk):
    refund = desk.refund()
    desk.fault(refund, "drop_answer")
    refund.decide("reviewer")

    unknown = refund.when_status("result_unknown", "reconciling")

    ended = refund.when_confirmed()
    assert identity(ended) == identity(unknown)
    assert "tool.call.result_unknown" in refund.events
    dealings = refund.dealings
    assert dealings[dealings.index("pay") + 1] == "look"
    assert (refund.payouts, len(refund.requests)) == (1, 1)
    assert (ended["execution_status"], ended["reconciliation_status"]) == ("completed", "resolved")


def test_e2_a_request_lost_on_the_way_is_looked_up_and_sent_again_under_the_same_key(desk):
    refund = desk.refund()
    desk.fault(refund, "drop_request")
    refund.decide("reviewer")

    unknown = refund.when_status("result_unknown", "reconciling")

    ended = refund.when_confirmed()
    assert identity(ended) == identity(unknown)
    dealings = refund.dealings
    first, second = (place for place, deed in enumerate(dealings) if deed == "pay")
    assert "look" in dealings[first + 1 : second]
    assert (refund.payouts, len(refund.requests), len(keys_of(refund))) == (1, 2, 1)


def test_e5_a_provider_that_answers_500_for_ever_after_the_commit_is_resolved_by_look_up(desk):
    refund = desk.refund()
    desk.fault(refund, "status", times=1_000, status=500, after_commit=True)

    refund.decide("reviewer")

    assert refund.when_confirmed()["execution_status"] == "completed"
    assert refund.payouts == 1
    assert len(refund.requests) <= 2


def test_e5_a_stop_meanwhile_leaves_only_look_ups(desk):
    refund = desk.refund()
    desk.fault(refund, "status", times=1_000, status=500, after_commit=True)
    refund.decide("reviewer")
    refund.when_status("result_unknown", "reconciling")

    refund.command("reviewer", "stop")

    refund.when_confirmed()
    assert (refund.payouts, len(refund.requests)) == (1, 1)


@pytest.mark.parametrize("kind", ["truncate", "empty"])
def test_e6_a_success_nobody_can_read_is_unknown_neither_failed_nor_done(desk, kind):
    refund = desk.refund()
    desk.fault(refund, kind)
    refund.decide("reviewer")

    unknown = refund.when_status("result_unknown", "reconciling")

    assert unknown["result_ref"] is None
    refund.when_confirmed()
    events = refund.events
    assert events.index("tool.call.result_unknown") < events.index("tool.call.completed")
    assert "tool.call.failed" not in events
    assert (refund.payouts, len(refund.requests)) == (1, 1)


def test_e7_throttled_three_times_it_waits_longer_each_time_and_keeps_its_key(desk):
    refund = desk.refund()
    desk.fault(refund, "status", times=3, status=429)

    refund.decide("reviewer")

    ended = refund.when_confirmed()
    closes = [attempt["close"] for attempt in ended["attempts"]]
    assert closes == ["throttled", "throttled", "throttled", "answered"]
    assert "tool.call.result_unknown" not in refund.events
    assert (refund.payouts, len(refund.requests), len(keys_of(refund))) == (1, 4, 1)
    pauses = pauses_between(ended["attempts"])
    assert pauses == sorted(pauses)


def pauses_between(attempts):
    opened = [datetime.fromisoformat(each["opened_at"]) for each in attempts]
    return [round((after - before).total_seconds()) for before, after in pairwise(opened)]


def test_e8_what_someone_else_refunded_first_is_refused_on_the_facts(desk):
    payment = desk.payment(500)
    refund = desk.refund(payment=payment)
    desk.stack.sandbox.refund_by_someone_else(payment, 500)

    answer = refund.decide("reviewer")

    ended = refund.when_over() if answer.status_code == 200 else refund.now
    assert ended["execution_status"] in {"refused", "proposed"}
    assert (refund.payouts, refund.requests) == (0, [])


def test_e9_a_foreign_refund_of_the_same_amount_is_not_taken_for_ours(desk):
    refund = desk.refund()
    desk.fault(refund, "drop_request")
    refund.decide("reviewer")
    refund.when_status("result_unknown", "reconciling")
    foreign = desk.stack.sandbox.refund_by_someone_else(refund.payment, 500)

    ended = refund.when_confirmed()

    assert ended["result_ref"] != foreign["id"]
    assert (refund.payouts, len(keys_of(refund))) == (1, 1)


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
    assert (refund.payouts, len(keys_of(refund))) == (1, 1)
