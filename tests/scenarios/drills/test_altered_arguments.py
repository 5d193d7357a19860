"""D5: what was granted is what leaves, whatever the agent tries in between."""

from __future__ import annotations

import pytest

from tests.scenarios.refunds import codes

GRANTED, ALTERED = 500_00, 900_00


def arguments(refund, minor):
    return {
        "payment": refund.payment,
        "amount": {"minor": minor, "currency": "USD"},
        "reason": "requested_by_customer",
    }


def propose(refund, run=None, intent=None, **changes):
    call = {
        "capability": "refund-payment",
        "intent": intent or refund.intent,
        "arguments": arguments(refund, ALTERED) | changes,
        "reasoning": {"summary": "It is owed.", "evidence": []},
    }
    path = f"/runs/{(run or refund.run)['id']}/tool-calls"
    return refund.stack.api("agent").send("POST", path, call)


def another_amount(desk, refund):
    return propose(refund), (409, "not_revisable")


def another_payment(desk, refund):
    answer = propose(refund, payment=desk.payment(), amount={"minor": GRANTED, "currency": "USD"})
    return answer, (409, "not_revisable")


def another_currency(desk, refund):
    answer = propose(refund, amount={"minor": GRANTED, "currency": "JPY"})
    return answer, (409, "not_revisable")


def another_run(desk, refund):
    return propose(refund, run=desk.run()), (409, "intent_taken")


def a_retry(desk, refund):
    return refund.command("agent", "retry", tool_call=refund.call["id"]), (409, "not_retryable")


def a_resume(desk, refund):
    refund.command("agent", "resume")
    return propose(refund), (409, "not_revisable")


@pytest.fixture(scope="module")
def granted(desk):
    """One refund for each path, so that their holds run at the same time."""
    return {path: desk.granted(GRANTED, payment=desk.payment(ALTERED)) for path in PATHS}


PATHS = [another_amount, another_payment, another_currency, another_run, a_retry, a_resume]


@pytest.mark.parametrize("path", PATHS)
def test_d5_no_path_of_the_agent_alters_what_was_granted(desk, granted, path):
    refund = granted[path]

    answer, refusal = path(desk, refund)

    assert codes([answer]) == [refusal]
    assert refund.when_confirmed()["arguments"] == arguments(refund, GRANTED)
    assert refund.payouts == 1
    rest = desk.stack.sandbox.refund_by_someone_else(refund.payment, ALTERED - GRANTED)
    assert rest["status"] == "succeeded"


def test_d5_withdrawn_and_proposed_anew_the_altered_amount_waits_for_a_person(desk):
    refund = desk.granted(GRANTED)
    refund.command("agent", "withdraw", tool_call=refund.call["id"])
    refund.command("agent", "retry", tool_call=refund.call["id"])

    answer = propose(refund)

    asked = desk.stack.api("admin").approval_of(answer.json())
    assert (answer.status_code, answer.json()["epoch"]) == (200, 2)
    assert (asked["status"], asked["effect"]["amount"]["minor"]) == ("pending", ALTERED)
    assert refund.now["execution_status"] == "cancelled"
    assert (refund.payouts, refund.requests) == (0, [])
