"""An answer is not proof: what a later read says of the effect."""

from __future__ import annotations

import pytest

from runtime.models import Observation, Reservation, Timer
from tests.runtime.execution.lab import carry_out, is_at_rest, payloads, step, story


def accepted(lab):
    """A call whose refund the provider has taken in and not finished."""
    call = lab.call()
    lab.fault("drop_answer")
    call = step(call)
    (refund,) = refunds_of(lab, call)
    lab.control.move_refund(refund, "pending")
    call = step(call)
    assert (call.execution_status, call.verification_status) == ("accepted", "pending")
    return call


def refunds_of(lab, call) -> list[str]:
    found = lab.wire(f"/v1/refunds?payment_intent={call.target}")
    return [refund["id"] for refund in found["data"]]


def test_what_the_provider_has_only_taken_in_stays_pending(lab):
    call = accepted(lab)
    before = story(call)

    call = step(call, times=2)

    assert story(call) == before
    assert Timer.objects.filter(subject=call.pk).exists()


def test_what_the_provider_finishes_later_is_completed_and_confirmed(lab):
    call = accepted(lab)
    lab.control.move_refund(call.result_ref, "succeeded")

    call = step(call)

    assert (call.execution_status, call.verification_status) == ("completed", "confirmed_success")
    assert story(call)[-2:] == ["tool.call.completed", "outcome.confirmed_success"]
    assert payloads(call, "outcome.confirmed_success")[0].source == "read"
    assert is_at_rest(call)


@pytest.mark.parametrize("status", ["failed", "canceled"])
def test_what_the_provider_gives_up_later_fails(lab, status):
    call = accepted(lab)
    lab.control.move_refund(call.result_ref, status)

    call = step(call)

    assert (call.execution_status, call.verification_status) == ("failed", "confirmed_failure")
    assert call.error_code == f"refund_{status}"
    assert Reservation.objects.get(tool_call=call).released_at is not None
    assert not Timer.objects.filter(subject=call.pk).exists()


def test_a_completed_call_whose_refund_then_fails_is_completed_and_not_confirmed(lab):
    call = step(lab.call())
    lab.control.move_refund(call.result_ref, "failed")

    call = step(call)

    assert (call.execution_status, call.verification_status) == ("completed", "confirmed_failure")
    assert story(call)[-1] == "outcome.confirmed_failure"


def test_the_money_of_a_failed_refund_can_be_refunded_again(lab):
    payment = lab.payment(minor=500)
    call = step(lab.call(payment, 500))
    lab.control.move_refund(call.result_ref, "failed")
    step(call)

    assert carry_out(lab.call(payment, 500)).verification_status == "confirmed_success"


def test_a_refund_that_turns_out_failed_when_looked_up_was_never_accepted(lab):
    call = lab.call()
    lab.fault("drop_answer")
    call = step(call)
    (refund,) = refunds_of(lab, call)
    lab.control.move_refund(refund, "failed")

    call = step(call)

    assert (call.execution_status, call.verification_status) == ("failed", "not_observed")
    assert call.result_ref == refund


def test_an_unreadable_payment_says_nothing_about_the_outcome(lab):
    call = step(lab.call())
    lab.fault("drop_request", on="payment.read")

    call = step(call)
    assert call.verification_status == "pending"

    assert step(call).verification_status == "confirmed_success"


def test_an_effect_that_is_not_to_be_seen_in_time_is_inconclusive(lab, settings):
    settings.SETTLE_DELAY_S = 60
    call = step(lab.call())
    unheard_of = {"result_ref": "re_unheard_of", "external_request_id": "csr_unheard_of"}
    type(call).objects.filter(pk=call.pk).update(**unheard_of)

    call = step(call)
    assert call.verification_status == "pending"
    settings.SETTLE_DELAY_S = 0
    call = step(call)

    assert (call.execution_status, call.verification_status) == ("completed", "inconclusive")
    assert not Timer.objects.filter(subject=call.pk).exists()


def test_reads_that_say_nothing_new_are_not_kept(lab):
    call = accepted(lab)
    before = Observation.objects.filter(tool_call=call).count()

    call = step(call, times=3)

    assert Observation.objects.filter(tool_call=call).count() == before


def test_an_outcome_may_be_confirmed_after_its_run_has_ended(lab):
    call = step(lab.call())
    lab.stop(call.run)

    call = step(call)

    assert call.run.ended_as == "stopped"
    assert call.verification_status == "confirmed_success"
