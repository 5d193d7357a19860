"""Decide an approval, or take it back: what is done, and every refusal in the contract's form."""

from __future__ import annotations

from datetime import timedelta

import pytest

from approvals.models import Approval
from runtime.models import Event, Receipt
from tests.console.api.client import Program, code
from tests.console.api.requests import decide, propose, recorded, refund, start
from tests.folded import altered_on_purpose


def test_approving_grants_it_and_authorizes_the_call(here, approval):
    answer = decide(here.reviewer, approval, note="Looks right.")

    receipt = answer.json()
    assert answer.status_code == 200
    assert (receipt["kind"], receipt["status"]) == ("approve", "applied")
    settled = here.reviewer.get(f"/approvals/{approval['id']}").json()
    assert settled["status"] == "granted"
    assert [vote["by"] for vote in settled["votes"]["cast"]] == ["here-reviewer"]
    call = here.agent.get(f"/tool-calls/{approval['tool_call']}").json()
    assert call["execution_status"] == "authorized"


def test_rejecting_refuses_the_call_and_tells_the_agent_why(here, approval):
    answer = decide(here.reviewer, approval, "reject", reason_code="duplicate", note="See T-7.")

    assert answer.status_code == 200
    call = here.agent.get(f"/tool-calls/{approval['tool_call']}").json()
    assert call["execution_status"] == "refused"
    assert call["told"]["note"] == "See T-7."


def test_a_rejection_without_a_reason_code_is_refused_and_leaves_no_receipt(here, approval):
    before = recorded()

    assert code(decide(here.reviewer, approval, "reject")) == (422, "reason_required")
    assert recorded() == before


def test_the_same_decision_again_is_the_stored_answer(here, approval):
    first = decide(here.reviewer, approval)
    before = recorded()

    again = decide(here.reviewer, approval)

    assert again.json() == {**first.json(), "replayed": True}
    assert code(decide(here.reviewer, approval, note="x")) == (422, "idempotency_mismatch")
    assert recorded() == before


@pytest.mark.parametrize("change", [{"revision": 2}, {"digest": "0" * 64}])
def test_a_decision_about_another_version_is_stale(here, approval, change):
    answer = decide(here.reviewer, approval, **change)

    assert code(answer) == (412, "stale")
    assert answer.json()["revision"] == approval["revision"]
    assert answer.json()["digest"] == approval["digest"]


def test_a_decision_about_a_replaced_question_names_the_current_one(here, approval):
    call = here.agent.get(f"/tool-calls/{approval['tool_call']}").json()
    body = {
        "capability": "refund-payment",
        "intent": call["intent"],
        "arguments": refund(700),
        "reasoning": {"summary": "More.", "evidence": []},
    }
    revised = here.agent.post(f"/runs/{call['run']}/tool-calls", body).json()

    answer = decide(here.reviewer, approval)

    assert code(answer) == (412, "superseded")
    assert answer.json()["current"] == {
        "approval": revised["approval"],
        "revision": 2,
        "digest": revised["digest"],
    }


def test_a_decision_after_the_time_is_over_is_refused(here, approval):
    row = Approval.objects.get(pk=approval["id"])
    altered_on_purpose.add(row.run_id)
    Approval.objects.filter(pk=row.pk).update(decide_by=row.decide_by - timedelta(hours=2))

    assert code(decide(here.reviewer, approval)) == (410, "expired")


def test_the_second_decider_learns_who_was_first(here, approval):
    decide(here.reviewer, approval)

    answer = decide(here.reviewer2, approval, "reject", reason_code="other")

    assert code(answer) == (409, "already_settled")
    assert answer.json()["by"] == "here-reviewer"
    assert answer.json()["status"] == "granted"


def test_whoever_stands_behind_the_run_may_not_decide(here):
    call = propose(here.agent, start(here.agent, initiator=here.person("reviewer").username))
    approval = here.reviewer.get(f"/approvals/{call['approval']}").json()

    assert approval["view"]["can_decide"] is False
    assert code(decide(here.reviewer, approval)) == (403, "conflict_of_interest")
    assert decide(here.reviewer2, approval).status_code == 200


def test_the_author_of_the_ticket_may_not_decide_either(here):
    ticket = {"ref": "T-1", "author": here.person("reviewer").username}
    call = propose(here.agent, start(here.agent, ticket=ticket))
    approval = here.reviewer.get(f"/approvals/{call['approval']}").json()

    assert code(decide(here.reviewer, approval)) == (403, "conflict_of_interest")


def test_amounts_over_the_limit_and_currencies_without_one_are_refused(here):
    run = start(here.agent)

    def asked(intent, **amount):
        call = propose(here.agent, run, intent=intent, arguments=refund(**amount))
        return here.reviewer.get(f"/approvals/{call['approval']}").json()

    over = decide(here.reviewer, asked("much", minor=100_001), command_id="d-1")
    unknown = decide(here.reviewer, asked("euro", currency="EUR"), command_id="d-2")

    assert code(over) == (403, "over_limit")
    assert over.json()["needs"] == ["seniors"]
    assert code(unknown) == (403, "no_limit_for_currency")


def test_a_refused_decision_leaves_a_receipt_and_no_event(here, approval):
    events = Event.objects.count()

    decide(here.reviewer, approval, revision=2)

    assert Event.objects.count() == events
    receipt = here.reviewer.get("/commands/decision-1").json()
    assert (receipt["status"], receipt["code"]) == ("refused", "stale")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"command_id": ""}, "command_id"),
        ({"command_id": "a\tb"}, "command_id"),
        ({"decision": "maybe"}, "decision"),
        ({"revision": 0}, "revision"),
        ({"revision": "1"}, "revision"),
        ({"revision": 1.0}, "revision"),
        ({"digest": "A" * 64}, "digest"),
        ({"digest": "a" * 63}, "digest"),
        ({"digest": "a" * 64 + "\n"}, "digest"),
        ({"reason_code": "because"}, "reason_code"),
        ({"note": "\ud800"}, "note"),
        ({"note": 5}, "note"),
        ({"urgent": True}, "urgent"),
    ],
)
def test_a_bad_decision_is_refused_by_field_and_leaves_no_receipt(here, approval, changes, field):
    before = recorded()

    answer = decide(here.reviewer, approval, **changes)

    assert code(answer) == (422, "invalid")
    assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert recorded() == before


def test_what_is_hidden_comes_before_rights_and_rights_before_the_body(here, elsewhere, approval):
    hidden = elsewhere.support.send(f"/approvals/{approval['id']}/decisions", b"nonsense")
    barred = here.support.send(f"/approvals/{approval['id']}/decisions", b"nonsense")
    malformed = here.reviewer.send(f"/approvals/{approval['id']}/decisions", b"nonsense")

    assert code(hidden) == (404, "not_found")
    assert code(barred) == (403, "not_authorized")
    assert code(malformed) == (400, "malformed")
    assert Receipt.objects.count() == 0


@pytest.mark.parametrize("verdict", ["approve", "reject"])
def test_the_agents_owner_decides_nothing_through_a_token_made_for_a_reviewer(
    here, approval, verdict
):
    body = {"user": "here-reviewer", "scopes": ["decide"]}
    borrowed = Program(here.admin.post("/tokens", body).json()["token"])

    answer = decide(borrowed, approval, verdict, command_id="borrowed", reason_code="other")

    assert code(answer) == (403, "conflict_of_interest")
    assert answer.json()["because"] == ["agent_owner", "token_creator", "policy_author"]
    seen = borrowed.get(f"/approvals/{approval['id']}").json()
    assert (seen["status"], seen["votes"]["cast"]) == ("pending", [])
    assert (seen["view"]["can_decide"], seen["view"]["can_reject"]) == (False, False)
