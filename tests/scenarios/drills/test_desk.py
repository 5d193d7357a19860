"""What no machine can tell: handed to people, settled by two admins, seen by one."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.scenarios.refunds import REFUSED, Refund, at_once, codes, new

NOBODY_ELSE = ("reviewer", "senior", "support", "agent")


def say(by: str, refund: Refund, what: str, **body: Any) -> httpx.Response:
    command = {"command_id": new("command"), "evidence": "The provider's dashboard"} | body
    return refund.stack.api(by).send("POST", f"/tool-calls/{refund.call['id']}/{what}", command)


def settle(by: str, refund: Refund, outcome: str) -> httpx.Response:
    return say(by, refund, "settlements", outcome=outcome, reason="Looked it up by hand")


def tracks(refund: Refund) -> tuple[str, str]:
    now = refund.now
    return now["execution_status"], now["verification_status"]


@pytest.fixture
def handed_off(desk):
    """A refund whose request was lost, and that somebody made by hand, of another amount."""
    refund = desk.refund()
    desk.fault(refund, "drop_request")
    refund.decide("reviewer")
    unknown = refund.when_status("result_unknown", "reconciling")
    names = {name: unknown[name] for name in ("intent", "external_request_id")}
    desk.stack.sandbox.refund_by_someone_else(refund.payment, 501, names)
    refund.when_status("manual_handoff")
    return refund


def test_two_admins_settle_it_and_one_who_saw_it_confirms_it(handed_off):
    refund = handed_off

    asked = settle("admin", refund, "completed")
    own, *others = [refund.decide(name).status_code for name in ("admin", *NOBODY_ELSE)]
    before = tracks(refund)
    decided = refund.decide("admin2")
    after = tracks(refund)
    seen = say("admin2", refund, "observations", status="confirmed_success")

    assert (asked.status_code, asked.json()["approval"]) == (202, refund.approval["id"])
    assert (own, others) == (403, [403] * 4)
    assert (before, decided.status_code) == (("manual_handoff", "not_observed"), 200)
    assert (after, seen.status_code) == (("completed", "inconclusive"), 200)
    assert tracks(refund) == ("completed", "confirmed_success")
    assert refund.events[-8:] == [
        "approval.voted",
        "approval.granted",
        "approval.consumed",
        "tool.call.settled",
        "tool.call.completed",
        "outcome.inconclusive",
        "outcome.observed",
        "outcome.confirmed_success",
    ]
    assert len(refund.requests) == 1


def test_what_one_admin_settles_as_not_executed_may_be_tried_again(handed_off):
    refund = handed_off

    refused = [settle(name, refund, "not_executed").status_code for name in NOBODY_ELSE]
    settled = settle("admin2", refund, "not_executed")
    retried = refund.command("reviewer", "retry", tool_call=refund.call["id"])

    assert refused == [403] * 4
    assert (settled.status_code, retried.status_code) == (200, 200)
    assert tracks(refund) == ("failed", "not_observed")
    assert refund.now["execution_status"] in REFUSED
    # A new question to a person: nothing is sent on anybody's word alone.
    told = [each for each in refund.events if each != "payment.observed"]
    assert told[-1] == "approval.requested"


@pytest.mark.drill
def test_two_settlements_at_once_end_it_once(handed_off):
    refund = handed_off

    answers = at_once(
        [
            lambda: settle("admin", refund, "failed"),
            lambda: settle("admin2", refund, "not_executed"),
        ]
    )

    assert codes(answers) == [(200, "ok"), (409, "not_handed_off")]
    assert refund.events.count("tool.call.settled") == 1
