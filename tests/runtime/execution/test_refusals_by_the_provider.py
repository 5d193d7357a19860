"""Answers that say no: for now, for this account, or for good."""

from __future__ import annotations

import pytest

from runtime.data_keys import seal
from runtime.execution.sending import send
from runtime.models import Attempt, Reservation, Timer
from runtime.providers.profiles import PROFILES
from runtime.providers.stripe import StripeProvider
from tests.runtime.execution.lab import again, carry_out, closes, spent, step
from tests.sandbox_client import free_port


@pytest.mark.parametrize(
    ("status", "close", "code"),
    [
        (429, "throttled", "rate_limit"),
        (401, "misconfigured", "http_401"),
        (403, "misconfigured", "http_403"),
    ],
)
def test_three_times_no_and_then_yes_pays_once_with_one_key(lab, status, close, code):
    call = lab.call()
    lab.fault("status", 3, status=status)

    call = step(call, times=3)
    assert call.execution_status == "dispatching"
    call = carry_out(call)

    assert call.verification_status == "confirmed_success"
    assert closes(call) == [(close, code)] * 3 + [("answered", "answered")]
    assert {post["key"] for post in lab.posts(call)} == {call.wire_key}
    assert lab.control.payouts(call.intent) == 1


def test_the_pauses_between_attempts_grow_up_to_half_a_minute(lab, settings):
    settings.FIRST_LOOK_S = 10.0
    call = lab.call()
    lab.fault("status", 3, status=429)

    pauses = []
    for number in (1, 2, 3):
        call = step(call)
        attempt = Attempt.objects.get(tool_call=call, number=number)
        assert attempt.closed_at is not None
        due_at = Timer.objects.get(subject=call.pk).due_at
        pauses.append((due_at - attempt.closed_at).total_seconds())

    assert pauses == [10.0, 20.0, 30.0]


def test_a_wrong_secret_keeps_the_call_waiting_and_sends_nothing(lab):

    lab.account.secret = seal("sk_test_wrong")
    lab.account.save()
    call = step(lab.call())

    assert call.execution_status == "authorized"
    assert lab.posts(call) == []


def test_a_refused_connection_is_known_to_have_sent_nothing(lab):
    call = lab.call()
    claim = spent(call).claim
    nobody = StripeProvider(
        api_base=f"http://127.0.0.1:{free_port()}",
        api_key="sk_test_sandbox",
        profile=PROFILES["key_and_lookup"],
    )

    send(claim, nobody)

    assert again(call).execution_status == "dispatching"
    assert closes(call) == [("never_sent", "unreachable")]


@pytest.mark.parametrize("status", [400, 404])
def test_a_final_no_fails_the_call_and_frees_the_amount(lab, status):
    call = lab.call()
    lab.fault("status", status=status)

    call = step(call)

    assert (call.execution_status, call.error_code) == ("failed", "refused_by_provider")
    assert call.verification_status == "not_observed"
    assert Reservation.objects.get(tool_call=call).released_at is not None
    assert not Timer.objects.filter(subject=call.pk).exists()
    assert lab.control.payouts(call.intent) == 0


def test_a_dispute_that_comes_after_the_spending_fails_the_call(lab):
    payment = lab.payment()
    call = lab.call(payment)
    worker = spent(call)
    lab.control.dispute(payment)

    worker.send()

    assert (again(call).execution_status, again(call).error_code) == ("failed", "charge_disputed")
