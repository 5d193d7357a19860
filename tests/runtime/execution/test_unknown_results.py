"""Answers that were lost or said nothing: looked up first, and never paid twice."""

from __future__ import annotations

import pytest

from runtime.models import Reservation
from tests.runtime.execution.lab import carry_out, closes, payloads, references, spent, step, story

IN_FLIGHT = {"kind": "status", "status": 409}
LOST = [
    pytest.param({"kind": "drop_answer"}, "connection_lost", id="answer dropped"),
    pytest.param({"kind": "truncate"}, "connection_lost", id="answer cut short"),
    pytest.param({"kind": "empty"}, "http_200", id="empty answer"),
    pytest.param({"kind": "delay", "seconds": 1.3}, "timeout", id="answer too late"),
    pytest.param(
        {"kind": "status", "status": 500, "after_commit": True}, "http_500", id="500 after commit"
    ),
    pytest.param(
        {"kind": "status", "status": 502, "after_commit": True}, "http_502", id="502 from a gateway"
    ),
]


@pytest.mark.parametrize(("fault", "code"), LOST)
def test_a_lost_success_is_found_and_adopted(lab, fault, code):
    call = lab.call()
    lab.fault(**fault)

    call = step(call)
    assert (call.execution_status, call.error_code) == ("result_unknown", code)
    assert closes(call) == [("unknown", code)]
    call = step(call)

    assert (call.execution_status, call.verification_status) == ("completed", "pending")
    assert story(call)[-4:] == [
        "tool.call.result_unknown",
        "tool.call.reconciling",
        "tool.call.completed",
        "outcome.pending",
    ]
    assert payloads(call, "outcome.pending")[0].source == "read"
    assert carry_out(call).verification_status == "confirmed_success"
    assert [len(lab.posts(call)), lab.control.payouts(call.intent)] == [1, 1]


@pytest.mark.parametrize(
    "fault", [{"kind": "drop_request"}, {"kind": "status", "status": 503}, IN_FLIGHT]
)
def test_a_request_that_never_counted_is_sent_again_with_the_same_key(lab, fault):
    call = lab.call()
    lab.fault(**fault)

    call = carry_out(call)

    assert call.verification_status == "confirmed_success"
    posts = lab.posts(call)
    assert [post["key"] for post in posts] == [call.wire_key, call.wire_key]
    assert posts[0]["metadata"] == posts[1]["metadata"]
    assert lab.control.payouts(call.intent) == 1
    assert [close for close, _ in closes(call)] == ["unknown", "answered"]


def test_it_is_not_sent_again_before_the_settle_delay_is_over(lab, settings):
    settings.SETTLE_DELAY_S = 60
    call = lab.call()
    lab.fault("drop_request")

    call = step(call, times=4)

    assert (call.execution_status, call.error_code) == ("result_unknown", "too_early")
    assert call.looked_up == 3
    assert len(lab.posts(call)) == 1


@pytest.mark.parametrize("on", ["refund.list", "payment.read"])
def test_a_look_up_that_fails_decides_nothing(lab, on):
    call = lab.call()
    lab.fault("drop_answer")
    call = step(call)
    lab.fault("drop_request", on=on)

    call = step(call)
    assert (call.execution_status, call.error_code) == ("result_unknown", "look_up_unavailable")

    assert carry_out(call).execution_status == "completed"
    assert lab.control.payouts(call.intent) == 1


@pytest.mark.parametrize("metadata", [{}, {"intent": "another", "external_request_id": "csr_1"}])
def test_a_refund_of_the_same_amount_by_someone_else_is_not_adopted(lab, metadata):
    payment = lab.payment()
    call = lab.call(payment)
    lab.fault("drop_request")
    call = step(call)
    foreign = lab.control.refund_by_someone_else(payment, call.amount_minor, metadata)

    call = carry_out(call)

    assert call.execution_status == "completed"
    assert call.result_ref != foreign["id"]
    assert lab.control.payouts(call.intent) == 1


def test_two_refunds_with_our_reference_are_handed_to_people(lab):
    payment = lab.payment()
    call = lab.call(payment)
    lab.fault("drop_answer")
    call = step(call)
    lab.control.refund_by_someone_else(payment, call.amount_minor, references(call))

    call = carry_out(call)

    assert (call.execution_status, call.error_code) == ("manual_handoff", "several_matches")
    assert len(lab.posts(call)) == 1


def test_our_reference_on_another_amount_is_handed_to_people(lab):
    payment = lab.payment()
    call = lab.call(payment)
    lab.fault("drop_request")
    call = step(call)
    lab.control.refund_by_someone_else(payment, call.amount_minor + 1, references(call))

    call = carry_out(call)

    assert (call.execution_status, call.error_code) == ("manual_handoff", "other_amount")
    assert len(lab.posts(call)) == 1


def test_past_the_life_of_the_key_nothing_is_sent_again(lab, settings):
    settings.KEY_LIFE_S = 0
    call = lab.call()
    lab.fault("drop_request")

    call = carry_out(call)

    assert (call.execution_status, call.error_code) == ("manual_handoff", "key_expired")
    assert len(lab.posts(call)) == 1


def test_past_the_life_of_the_key_a_success_is_still_found(lab, settings):
    settings.KEY_LIFE_S = 0
    call = lab.call()
    lab.fault("drop_answer")

    assert carry_out(call).verification_status == "confirmed_success"
    assert len(lab.posts(call)) == 1


def test_a_payment_disputed_meanwhile_is_not_tried_again(lab):
    payment = lab.payment()
    call = lab.call(payment)
    lab.fault("drop_request")
    call = step(call)
    lab.control.dispute(payment)

    call = carry_out(call)

    assert (call.execution_status, call.error_code) == ("manual_handoff", "not_disputed")
    assert len(lab.posts(call)) == 1


def test_already_refunded_by_ourselves_is_our_success(lab):
    payment = lab.payment(minor=500)
    call = lab.call(payment, 500)
    worker = spent(call)
    call.refresh_from_db()
    ours = lab.control.refund_by_someone_else(payment, 500, references(call))

    worker.send()
    call = step(call, times=0)
    assert (call.execution_status, call.error_code) == (
        "result_unknown",
        "charge_already_refunded",
    )
    call = carry_out(call)

    assert (call.execution_status, call.result_ref) == ("completed", ours["id"])


def test_already_refunded_by_someone_else_fails_and_says_so(lab):
    payment = lab.payment(minor=500)
    call = lab.call(payment, 500)
    worker = spent(call)
    lab.control.refund_by_someone_else(payment, 500)

    worker.send()
    call = carry_out(call)

    assert (call.execution_status, call.error_code) == ("failed", "charge_already_refunded")
    assert "Someone else" in (call.error_detail or "")
    assert Reservation.objects.get(tool_call=call).released_at is not None
    assert call.verification_status == "not_observed"


def test_people_can_have_a_handed_off_call_looked_up_once_more(lab):
    payment = lab.payment()
    call = lab.call(payment)
    lab.fault("drop_answer")
    call = step(call)
    lab.control.refund_by_someone_else(payment, call.amount_minor, references(call))
    call = carry_out(call)
    before = story(call)

    lab.retry(call)
    call = step(call)

    assert call.execution_status == "manual_handoff"
    assert story(call) == before
    assert len(lab.posts(call)) == 1


def test_a_handed_off_call_takes_an_answer_that_a_look_up_proves(lab, settings):
    settings.KEY_LIFE_S = 0
    payment = lab.payment()
    call = lab.call(payment)
    lab.fault("drop_request")
    call = carry_out(call)
    late = lab.control.refund_by_someone_else(payment, call.amount_minor, references(call))

    lab.retry(call)
    call = carry_out(call)

    assert (call.execution_status, call.result_ref) == ("completed", late["id"])
    assert call.verification_status == "confirmed_success"
