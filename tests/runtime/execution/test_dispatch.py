"""A call that meets nothing unusual on its way out and back."""

from __future__ import annotations

import pytest

from runtime.models import Reservation
from tests.runtime.execution.lab import carry_out, closes, is_at_rest, step, story


def test_an_authorized_call_is_sent_once_and_confirmed_by_a_later_read(lab):
    call = lab.call()

    call = step(call)
    assert (call.execution_status, call.verification_status) == ("completed", "pending")
    call = step(call)

    assert (call.execution_status, call.verification_status) == ("completed", "confirmed_success")
    assert story(call) == [
        "tool.call.proposed",
        "tool.call.authorized",
        "tool.call.dispatching",
        "tool.attempt.opened",
        "tool.attempt.sent",
        "tool.attempt.closed",
        "tool.call.completed",
        "outcome.pending",
        "outcome.confirmed_success",
    ]
    assert closes(call) == [("answered", "answered")]
    assert lab.control.payouts(call.intent) == 1
    assert is_at_rest(call)


def test_the_request_carries_our_key_and_our_references(lab):
    call = step(lab.call())

    (post,) = lab.posts(call)
    assert post["key"] == call.wire_key
    assert post["metadata"] == {
        "intent": call.intent,
        "external_request_id": call.external_request_id,
    }
    assert len(call.wire_key or "") == 43


@pytest.mark.parametrize(
    ("minor", "currency"), [(500, "USD"), (5800, "JPY"), (1250, "KWD"), (1, "USD")]
)
def test_the_approved_amount_is_what_moves(lab, minor, currency):
    call = carry_out(lab.call(minor=minor, currency=currency))

    assert call.verification_status == "confirmed_success"
    assert Reservation.objects.get(tool_call=call).amount_minor == minor


def test_a_call_that_is_over_is_left_alone(lab):
    call = carry_out(lab.call())

    before = story(call)
    step(call, times=3)

    assert story(call) == before
    assert lab.control.payouts(call.intent) == 1
