"""What outside keeps a call from going on is a fact, told once, and over when it goes on."""

from __future__ import annotations

import pytest

from runtime.states import HeldUp
from tests.runtime.execution.lab import carry_out, step, story

READS = [
    (503, HeldUp.FACTS_UNREADABLE),
    (429, HeldUp.THROTTLED),
    (401, HeldUp.MISCONFIGURED),
]


def held_up(call):
    return story(call).count("tool.call.held_up")


@pytest.mark.parametrize(("status", "code"), READS)
def test_a_payment_that_cannot_be_read_holds_its_call_up_and_says_so_once(lab, status, code):
    lab.fault("status", 3, on="payment.read", status=status)
    call = lab.call()

    calls = [step(call) for _ in range(3)]

    assert [one.execution_status for one in calls] == ["authorized"] * 3
    assert [one.held_up_code for one in calls] == [code] * 3
    assert len({one.held_up_at for one in calls}) == 1
    assert held_up(call) == 1


def test_what_was_held_up_goes_on_and_nothing_is_in_its_way_any_more(lab):
    lab.fault("status", on="payment.read", status=503)
    call = lab.call()
    step(call)

    call = carry_out(call)

    assert call.verification_status == "confirmed_success"
    assert (call.held_up_code, call.held_up_at) == (None, None)


def test_another_reason_is_told_as_well(lab):
    call = lab.call()
    lab.fault("status", on="payment.read", status=503)
    step(call)
    lab.fault("status", on="payment.read", status=401)

    call = step(call)

    assert call.held_up_code == HeldUp.MISCONFIGURED
    assert held_up(call) == 2


def test_a_look_up_that_says_nothing_holds_its_call_up_until_one_does(lab):
    lab.fault("drop_answer")
    call = step(lab.call())
    assert call.execution_status == "result_unknown"
    lab.fault("status", 2, on="payment.read", status=503)

    first, second = step(call), step(call)

    assert (first.held_up_code, first.execution_status) == ("facts_unreadable", "result_unknown")
    assert second.held_up_at == first.held_up_at
    assert held_up(call) == 1
    assert carry_out(call).held_up_code is None
