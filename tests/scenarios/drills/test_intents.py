"""An intent is paid once: by the run that holds it, with the arguments that were approved."""

from __future__ import annotations

import time
from functools import partial

import httpx
import pytest

from tests.scenarios.refunds import Refund, at_once, codes, new


def proposal(refund, amount=500):
    return {
        "capability": "refund-payment",
        "intent": refund.intent,
        "arguments": {
            "payment": refund.payment,
            "amount": {"minor": amount, "currency": "USD"},
            "reason": "requested_by_customer",
        },
        "reasoning": {"summary": "It is owed.", "evidence": []},
    }


def propose(refund, run, amount=500):
    path = f"/runs/{run['id']}/tool-calls"
    return refund.stack.api("agent").send("POST", path, proposal(refund, amount))


def test_d15_a_rejected_call_retried_is_a_successor_with_its_own_approval_and_key(desk):
    refund = desk.refund()
    refund.decide("reviewer", "reject")
    rejected = refund.now

    assert refund.command("agent", "retry", tool_call=rejected["id"]).status_code == 200

    again = Refund(
        stack=refund.stack,
        run=refund.run,
        call=propose(refund, refund.run).json(),
        intent=refund.intent,
        payment=refund.payment,
    )
    assert (again.now["retry_of"], again.now["epoch"]) == (rejected["id"], 2)
    assert again.approval["id"] != rejected["approval"]
    assert again.payouts == 0
    again.decide("reviewer")
    again.when_confirmed()
    assert (refund.now, refund.payouts) == (rejected, 1)


def test_d15_the_same_intent_from_another_run_is_taken(desk):
    refund = desk.refund()

    answer = propose(refund, desk.run())

    assert codes([answer]) == [(409, "intent_taken")]
    refund.decide("reviewer")
    refund.when_confirmed()
    assert codes([propose(refund, desk.run())]) == [(409, "intent_taken")]
    assert refund.payouts == 1


def test_an_intent_proposed_from_many_runs_at_once_is_held_by_one(desk):
    free = Refund(
        stack=desk.stack, run=None, call=None, intent=new("intent"), payment=desk.payment()
    )
    runs = [desk.run() for _ in range(6)]

    answers = at_once([partial(propose, free, run) for run in runs])

    assert codes(answers) == [(201, "ok"), *[(409, "intent_taken")] * 5]
    assert free.payouts == 0


def test_the_same_proposal_again_answers_the_same_call_before_and_after_the_payout(desk):
    refund = desk.refund()

    before = propose(refund, refund.run)
    refund.decide("reviewer")
    refund.when_confirmed()
    after = propose(refund, refund.run)

    assert [answer.status_code for answer in (before, after)] == [200, 200]
    assert {before.json()["id"], after.json()["id"]} == {refund.call["id"]}
    assert refund.payouts == 1


def test_d4_a_decision_about_an_amount_the_agent_has_since_revised_never_applies(desk):
    refund = desk.refund(500)
    seen = refund.approval

    revised = propose(refund, refund.run, amount=900)

    assert (revised.status_code, revised.json()["revision"]) == (200, 2)
    answer = desk.stack.api("reviewer").decide(seen, "approve")
    assert codes([answer]) == [(412, "superseded")]
    current = refund.approval
    assert answer.json()["current"] == {
        name: current[key]
        for name, key in [("approval", "id"), ("revision", "revision"), ("digest", "digest")]
    }
    assert (current["status"], current["effect"]["amount"]["minor"]) == ("pending", 900)
    assert refund.payouts == 0


def test_d5_arguments_cannot_change_once_granted(desk):
    refund = desk.granted(500_00)

    answer = propose(refund, refund.run, amount=900_00)

    assert codes([answer]) == [(409, "not_revisable")]
    assert refund.approval["status"] == "granted"
    assert refund.revoke("admin").status_code == 200
    assert refund.payouts == 0


@pytest.mark.drill
@pytest.mark.parametrize("wait_s", [0, 0.01, 0.02, 0.05, 0.1])
def test_d5_a_revision_against_an_approval_pays_what_was_approved_or_nothing(desk, wait_s):
    payment = desk.payment(900)
    refund = desk.refund(500, payment=payment)
    seen = refund.approval

    def revise():
        time.sleep(wait_s)
        return propose(refund, refund.run, amount=900)

    approve = partial(desk.stack.api("reviewer").decide, seen, "approve")
    answers: list[httpx.Response] = at_once([approve, revise])

    approved = answers[0]
    if approved.status_code == 200:
        assert refund.when_confirmed()["arguments"]["amount"]["minor"] == 500
        assert refund.payouts == 1
        assert desk.stack.sandbox.refund_by_someone_else(payment, 400)["status"] == "succeeded"
    else:
        assert codes([approved]) == [(412, "superseded")]
        assert (refund.approval["status"], refund.payouts) == ("pending", 0)


def test_a_call_that_was_paid_cannot_be_retried_or_withdrawn(desk):
    refund = desk.granted()
    refund.when_confirmed()
    call = refund.call["id"]

    answers = [refund.command("agent", kind, tool_call=call) for kind in ("retry", "withdraw")]

    assert codes(answers) == [(409, "not_retryable"), (409, "too_late")]
    assert (refund.payouts, len(refund.requests)) == (1, 1)


def test_what_the_agent_withdraws_is_gone_before_and_after_the_grant(desk):
    asked, granted = desk.refund(), desk.granted(500_00)

    for refund in (asked, granted):
        call = refund.call["id"]
        assert refund.command("agent", "withdraw", tool_call=call).status_code == 200

    for refund in (asked, granted):
        assert (refund.now["execution_status"], refund.approval["status"]) == (
            "cancelled",
            "cancelled",
        )
        assert (refund.payouts, refund.requests) == (0, [])
