"""What may keep an authorized call from leaving, and where that leaves it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from runtime.event_log import database_now
from runtime.execution import observe_call
from runtime.gates import Changed, Lost, NeedsPerson, Never, Waiting
from runtime.ids import new_id
from runtime.models import Attempt, Reservation, Timer
from tests.runtime.execution.lab import carry_out, make_lab, payloads, step, story


def nothing_left(lab, call) -> bool:
    """Not even the intent to send was put on record."""
    return not (
        lab.posts(call)
        or Attempt.objects.filter(tool_call=call).exists()
        or Reservation.objects.filter(tool_call=call).exists()
    )


def test_told_to_wait_it_comes_again_at_the_time_it_was_told(lab, told_gate):
    until = database_now() + timedelta(seconds=5)
    told_gate.spendings.append(Waiting(code="hold", until=until))

    call = step(lab.call())

    assert call.execution_status == "authorized"
    assert Timer.objects.get(subject=call.pk).due_at == until
    assert nothing_left(lab, call)


def test_a_lost_authorization_is_asked_for_again(lab, told_gate):
    call = lab.call()
    told_gate.spendings.append(Lost(code="policy_changed", detail="Another policy."))
    told_gate.admissions.append(NeedsPerson(approval_id=new_id()))

    call = step(call)

    assert call.execution_status == "proposed"
    assert story(call)[-1] == "tool.call.authorization_lost"
    assert nothing_left(lab, call)


def test_a_lost_authorization_may_be_given_again_at_once(lab, told_gate):
    call = lab.call()
    told_gate.spendings.append(Lost(code="policy_changed", detail="Another policy."))

    call = step(call)
    assert (call.execution_status, nothing_left(lab, call)) == ("authorized", True)

    assert carry_out(call).verification_status == "confirmed_success"


def test_a_lost_authorization_may_be_refused_for_good(lab, told_gate):
    call = lab.call()
    told_gate.spendings.append(Lost(code="policy_changed", detail="Another policy."))
    told_gate.admissions.append(Never(code="no_policy", detail="No policy."))

    call = step(call)

    assert (call.execution_status, call.error_code) == ("refused", "no_policy")
    assert nothing_left(lab, call)


def test_a_changed_world_refuses_the_call(lab, told_gate):
    call = lab.call()
    told_gate.spendings.append(Changed(code="revoked", detail="Taken back."))

    call = step(call)

    assert (call.execution_status, call.error_code) == ("refused", "revoked")
    assert nothing_left(lab, call)
    assert not Timer.objects.filter(subject=call.pk).exists()


def test_before_its_time_nothing_leaves(lab):
    call = lab.call()
    later = database_now() + timedelta(hours=1)
    type(call).objects.filter(pk=call.pk).update(not_before=later)

    call = step(call)

    assert call.execution_status == "authorized"
    assert Timer.objects.get(subject=call.pk).due_at == later
    assert nothing_left(lab, call)


def test_without_an_account_at_the_provider_it_is_refused_and_says_so(lab):
    call = lab.call()
    lab.account.delete()

    call = step(call)

    assert (call.execution_status, call.error_code) == ("refused", "no_provider_account")
    assert nothing_left(lab, call)


@pytest.mark.parametrize("on", ["payment.read", "refund.list"])
def test_a_payment_that_cannot_be_read_now_keeps_the_call_waiting(lab, on):
    call = lab.call()
    lab.fault("drop_request", on=on)

    call = step(call)
    assert (call.execution_status, nothing_left(lab, call)) == ("authorized", True)

    assert carry_out(call).verification_status == "confirmed_success"


def test_an_older_observation_does_not_stand_in_for_one_that_failed(lab):
    call = lab.call()
    observe_call(call.pk)
    lab.fault("drop_request", on="payment.read")

    call = step(call)

    assert (call.execution_status, nothing_left(lab, call)) == ("authorized", True)


def test_a_disputed_payment_is_not_refunded(lab):
    call = step(lab.call(lab.payment(disputed=True)))

    assert (call.execution_status, call.error_code) == ("refused", "not_disputed")
    assert nothing_left(lab, call)


def test_an_unknown_payment_is_not_refunded(lab):
    call = step(lab.call("pi_nobody"))

    assert (call.execution_status, call.error_code) == ("refused", "payment_exists")
    assert nothing_left(lab, call)


def test_another_currency_is_not_refunded(lab):
    call = step(lab.call(lab.payment(currency="EUR"), currency="USD"))

    assert (call.execution_status, call.error_code) == ("refused", "same_currency")
    assert nothing_left(lab, call)


def test_more_than_what_is_left_is_not_refunded(lab):
    payment = lab.payment(minor=1000)
    lab.control.refund_by_someone_else(payment, 501)

    call = step(lab.call(payment, 500))

    assert (call.execution_status, call.error_code) == ("refused", "within_remainder")
    assert nothing_left(lab, call)
    assert len(payloads(call, "payment.observed")) == 1


def test_what_is_left_is_refunded_to_the_last_cent(lab):
    payment = lab.payment(minor=1000)
    lab.control.refund_by_someone_else(payment, 500)

    assert carry_out(lab.call(payment, 500)).verification_status == "confirmed_success"


def test_many_pages_of_refunds_are_read_to_the_end(lab):
    payment = lab.payment(minor=1000)
    for _ in range(101):
        lab.control.refund_by_someone_else(payment, 1)

    call = step(lab.call(payment, 900))

    assert (call.execution_status, call.error_code) == ("refused", "within_remainder")
    assert call.error_detail == "$8.99 of the payment is left."


def test_what_another_call_has_reserved_is_not_left(lab):
    payment = lab.payment(minor=1000)
    first, second = lab.call(payment, 600), lab.call(payment, 600)
    lab.fault("drop_request")
    step(first)

    second = step(second)

    assert (second.execution_status, second.error_code) == ("refused", "within_remainder")
    assert nothing_left(lab, second)


def test_what_another_call_has_taken_is_counted_once(lab):
    payment = lab.payment(minor=1000)
    carry_out(lab.call(payment, 500))

    assert carry_out(lab.call(payment, 500)).verification_status == "confirmed_success"


def test_what_a_failed_call_had_reserved_is_left_again(lab):
    payment = lab.payment(minor=1000)
    lab.fault("status", status=400)
    assert step(lab.call(payment, 600)).execution_status == "failed"

    assert carry_out(lab.call(payment, 600)).verification_status == "confirmed_success"


def test_reservations_hold_in_their_own_workspace_only(lab, sandbox):
    payment = lab.payment(minor=1000)
    elsewhere = make_lab(sandbox)
    lab.fault("drop_request")
    step(lab.call(payment, 600))

    assert carry_out(elsewhere.call(payment, 600)).verification_status == "confirmed_success"
