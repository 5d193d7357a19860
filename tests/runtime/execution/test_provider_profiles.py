"""The same lost answer at providers that offer less than a key and a look-up."""

from __future__ import annotations

import pytest

from runtime.models import ToolCall
from tests.runtime.execution.lab import carry_out, closes, spent, step


@pytest.fixture
def at(lab):
    """The lab, whose provider and account are of the profile given."""

    def set_profile(profile):
        lab.account.profile = profile
        lab.account.save()
        lab.control.profile(profile)
        return lab

    return set_profile


@pytest.mark.parametrize("fault", ["drop_request", "drop_answer"])
def test_with_a_key_alone_the_same_key_again_is_the_look_up(at, fault):
    lab = at("key_only")
    call = lab.call(lab.payment(minor=500), 500)
    lab.fault(fault)

    call = carry_out(call)

    assert (call.execution_status, call.verification_status) == ("completed", "inconclusive")
    assert [post["key"] for post in lab.posts(call)] == [call.wire_key] * 2
    assert lab.control.payouts(call.intent) == 1
    assert [close for close, _ in closes(call)] == ["unknown", "answered"]


def test_with_a_key_alone_nothing_is_sent_past_its_life(at, settings):
    settings.KEY_LIFE_S = 0
    lab = at("key_only")
    call = lab.call()
    lab.fault("drop_answer")

    call = carry_out(call)

    assert (call.execution_status, call.error_code) == ("manual_handoff", "key_expired")
    assert len(lab.posts(call)) == 1


def test_with_a_key_alone_nothing_is_sent_after_a_stop(at):
    lab = at("key_only")
    call = lab.call()
    lab.fault("drop_answer")
    call = step(call)
    lab.stop(call.run)

    call = carry_out(call)

    assert (call.execution_status, call.error_code) == ("manual_handoff", "run_stopped")
    assert len(lab.posts(call)) == 1


def test_with_a_forgotten_key_a_refunded_payment_is_for_people_to_judge(at):
    lab = at("key_only")
    call = lab.call(lab.payment(minor=500), 500)
    lab.fault("drop_answer")
    call = step(call)
    lab.control.advance_clock(100_000)

    call = carry_out(call)

    assert (call.execution_status, call.error_code) == ("manual_handoff", "lost_then_refused")
    assert lab.control.payouts(call.intent) == 1


def test_with_a_key_alone_a_payment_refunded_by_someone_else_fails(at):
    lab = at("key_only")
    payment = lab.payment(minor=500)
    call = lab.call(payment, 500)
    worker = spent(call)
    lab.control.refund_by_someone_else(payment, 500)
    worker.send()

    call = carry_out(call)

    assert (call.execution_status, call.error_code) == ("failed", "charge_already_refunded")


def test_with_a_look_up_alone_a_success_is_adopted(at):
    lab = at("lookup_only")
    call = lab.call()
    lab.fault("drop_answer")

    assert carry_out(call).verification_status == "confirmed_success"
    assert lab.control.payouts(call.intent) == 1


def test_with_a_look_up_alone_nothing_is_ever_sent_again(at):
    lab = at("lookup_only")
    call = lab.call()
    lab.fault("drop_request")

    call = carry_out(call)

    assert (call.execution_status, call.error_code) == ("manual_handoff", "not_found")
    assert len(lab.posts(call)) == 1


@pytest.mark.parametrize("fault", ["drop_request", "drop_answer"])
def test_with_neither_a_person_decides(at, fault):
    lab = at("neither")
    call = lab.call()
    lab.fault(fault)

    call = carry_out(call)

    assert (call.execution_status, call.error_code) == ("manual_handoff", "no_look_up")
    assert len(lab.posts(call)) == 1


@pytest.mark.parametrize("profile", ["key_only", "neither"])
def test_without_a_list_two_calls_still_share_what_is_left(at, profile):
    lab = at(profile)
    payment = lab.payment(minor=1000)

    first = carry_out(lab.call(payment, 600))
    second = carry_out(lab.call(payment, 600))
    third = carry_out(lab.call(payment, 400))

    assert [call.execution_status for call in (first, second, third)] == [
        "completed",
        "refused",
        "completed",
    ]


@pytest.mark.parametrize("profile", ["key_and_lookup", "key_only"])
@pytest.mark.parametrize("status", [400, 402, 404])
def test_a_refusal_says_nothing_of_an_earlier_attempt_that_was_lost(at, profile, status):
    lab = at(profile)
    call = lab.call()
    lab.fault("drop_request" if profile == "key_and_lookup" else "drop_answer")
    lab.fault("status", status=status)

    call = carry_out(call)

    assert (call.execution_status, call.error_code) == ("manual_handoff", "lost_then_refused")
    assert call.reservation.released_at is None
    lab.retry(call)
    assert ToolCall.objects.filter(intent=call.intent).count() == 1
    assert lab.control.payouts(call.intent) == (profile == "key_only")
