"""The demo's tickets, played by its own agent: each ends as its story says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.scenarios.refunds import Refund, new, wait_until
from tests.stack import Stack, running_stack


@pytest.fixture(scope="module")
def shop() -> Iterator[Stack]:
    """A stack of its own, whose agent has opened one ticket of each kind."""
    with running_stack() as stack:
        yield stack


@pytest.fixture
def asked(shop):
    """The refund that some ticket asks about, by its amount in cents."""

    def find(minor) -> Refund:
        api = shop.api("reviewer")
        found: list[Any] = []

        def is_there():
            items = api.get("/approvals", limit=200)["items"]
            found[:] = [each for each in items if each["effect"]["amount"]["minor"] == minor]
            # What was read of the payment is on the page.
            return found and all(check["as_of"] for check in found[0]["preconditions"])

        wait_until(is_there)
        approval = found[0]
        call = api.get(f"/tool-calls/{approval['tool_call']}")
        return Refund(
            stack=shop,
            run={"id": approval["run"]},
            call=call,
            intent=call["intent"],
            payment=approval["effect"]["target"],
        )

    return find


def run_of(refund):
    return refund.stack.api("agent").get(f"/runs/{refund.run['id']}")


def wait_until_worked(refund):
    wait_until(lambda: run_of(refund)["status"] == "completed")


@pytest.mark.parametrize(
    ("minor", "check", "detail"),
    [
        (12900, "not_disputed", "The payment is disputed."),
        (21000, "within_remainder", "$0.00 of the payment is left."),
    ],
    ids=["disputed", "refunded elsewhere"],
)
def test_what_the_payment_does_not_allow_is_on_the_page_and_cannot_be_approved(
    asked, minor, check, detail
):
    refund = asked(minor)
    (broken,) = [each for each in refund.approval["preconditions"] if each["ok"] is not True]
    assert (broken["name"], broken["detail"]) == (check, detail)

    refused = refund.decide("reviewer")
    assert (refused.status_code, refused.json()["code"]) == (409, "precondition_failed")
    assert refused.json()["name"] == check
    assert refund.decide("reviewer", "reject", reason_code="duplicate").status_code == 200

    wait_until_worked(refund)
    assert refund.now["execution_status"] == "refused"
    assert refund.requests == []


def test_a_second_effect_is_named_before_anybody_decides_and_the_refund_is_made_once(asked):
    refund = asked(7450)
    assert refund.approval["effect"]["also"] == ["The card is added to the provider's block list."]
    assert refund.approval["risk"] == "high"

    assert refund.decide("reviewer").status_code == 200

    assert refund.when_confirmed()["verification_status"] == "confirmed_success"
    wait_until_worked(refund)
    assert refund.payouts == 1


def test_a_refund_that_was_confirmed_and_then_fails_is_a_case_for_the_admins(asked):
    refund = asked(15900)
    assert refund.decide("reviewer").status_code == 200
    assert refund.when_confirmed()["verification_status"] == "confirmed_success"
    wait_until_worked(refund)

    failed = refund.when(lambda call: call["verification_status"] == "confirmed_failure")

    assert (failed["case"]["kind"], failed["case"]["owner"]) == ("failed_after_success", "admin")
    assert failed["told"]["sentence"].startswith("It failed after it was confirmed")
    assert refund.events[-2:] == ["outcome.confirmed_failure", "case.opened"]
    assert (refund.payouts, len(refund.requests)) == (1, 1)


def test_a_lost_answer_is_looked_up_and_paid_once(asked):
    refund = asked(8640)

    assert refund.decide("reviewer").status_code == 200

    assert refund.when_confirmed()["reconciliation_status"] == "resolved"
    wait_until_worked(refund)
    assert (refund.payouts, len(refund.requests)) == (1, 1)


def test_above_a_reviewers_limit_a_senior_decides_and_may_take_it_back(asked):
    refund = asked(184000)

    refused = refund.decide("reviewer")
    assert (refused.status_code, refused.json()["code"]) == (403, "over_limit")
    assert refund.decide("senior").status_code == 200
    assert refund.revoke("senior", command_id=new("command")).status_code == 200

    wait_until_worked(refund)
    assert refund.requests == []


def test_of_two_refunds_in_one_turn_each_has_its_own_decision(asked):
    atlas, delivery = asked(3800), asked(1250)
    assert atlas.run == delivery.run

    assert atlas.decide("reviewer").status_code == 200
    assert delivery.decide("reviewer", "reject").status_code == 200

    assert atlas.when_confirmed()["verification_status"] == "confirmed_success"
    wait_until_worked(atlas)
    assert (atlas.payouts, delivery.requests) == (1, [])
