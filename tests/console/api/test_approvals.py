from __future__ import annotations

from datetime import timedelta

import pytest

from approvals.access import issue_token
from approvals.models import Approval
from runtime.models import Event, Receipt, ToolCall
from tests.console.api.client import Program
from tests.console.api.requests import propose, recorded, refund, start
from tests.factories import mixed_questions, observe


@pytest.fixture
def approval(here):
    call = propose(here.agent, start(here.agent))
    return here.reviewer.get(f"/approvals/{call['approval']}").json()


def decide(program, approval, decision="approve", command_id="decision-1", **changes):
    body = {
        "command_id": command_id,
        "decision": decision,
        "revision": approval["revision"],
        "digest": approval["digest"],
    }
    return program.post(f"/approvals/{approval['id']}/decisions", {**body, **changes})


def revoke(program, approval, command_id="revocation-1", reason="Second thoughts."):
    body = {"command_id": command_id, "reason": reason}
    return program.post(f"/approvals/{approval['id']}/revocations", body)


def code(answer):
    return answer.status_code, answer.json()["code"]


def test_an_approval_says_what_it_is_about(here, approval):
    call = here.reviewer.get(f"/tool-calls/{approval['tool_call']}").json()

    assert approval["status"] == "pending"
    assert approval["digest"] == call["digest"]
    assert approval["capability"] == "refund-payment@1"
    assert approval["effect"]["amount"] == {"minor": 500, "currency": "USD", "display": "$5.00"}
    assert approval["effect"]["target"] == "pi_1"
    assert approval["policy"]["name"] == "refunds"
    assert approval["votes"] == {"needed": 1, "cast": []}
    assert approval["reasoning"]["summary"] == "The item arrived damaged."
    assert approval["settled"] is None
    assert approval["view"] == {
        "banner": "Waiting for a decision. Nothing leaves until someone decides.",
        "can_decide": True,
        "cannot_decide_reason": None,
        "can_reject": True,
    }


def test_support_and_agents_read_approvals_and_are_told_that_they_do_not_decide(here, approval):
    seen = [
        program.get(f"/approvals/{approval['id']}").json()
        for program in (here.support, here.agent, here.admin)
    ]

    assert [one["view"]["can_decide"] for one in seen] == [False] * 3
    assert [one["view"]["can_reject"] for one in seen] == [False] * 3
    assert seen[0]["reasoning"]["summary"] == "•••"
    assert seen[1]["reasoning"]["summary"] == "The item arrived damaged."


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


def test_an_admin_revokes_a_grant_before_it_is_spent(here, approval):
    decide(here.reviewer, approval)

    answer = revoke(here.admin, approval)

    assert (answer.status_code, answer.json()["kind"]) == (200, "revoke")
    assert here.admin.get(f"/approvals/{approval['id']}").json()["status"] == "revoked"
    call = here.agent.get(f"/tool-calls/{approval['tool_call']}").json()
    assert call["execution_status"] == "refused"


def test_an_admin_revoking_an_open_question_cancels_it(here, approval):
    assert revoke(here.admin, approval).status_code == 200
    assert here.admin.get(f"/approvals/{approval['id']}").json()["status"] == "cancelled"
    assert code(revoke(here.admin, approval, "revocation-2")) == (409, "already_settled")


def test_a_reviewer_takes_back_only_an_own_grant_and_only_inside_its_hold(here):
    run = start(here.agent)

    def granted(intent, minor):
        call = propose(here.agent, run, intent=intent, arguments=refund(minor))
        approval = here.reviewer.get(f"/approvals/{call['approval']}").json()
        assert decide(here.reviewer, approval, command_id=f"d-{intent}").status_code == 200
        return approval

    held, not_held = granted("held", 50_000), granted("not-held", 500)

    assert code(revoke(here.reviewer2, held)) == (403, "not_authorized")
    assert code(revoke(here.reviewer, not_held)) == (403, "not_authorized")
    assert revoke(here.reviewer, held, "revocation-2").status_code == 200


@pytest.mark.parametrize("reason", ["", None, 5, "\x00"])
def test_a_revocation_needs_a_reason_in_words(here, approval, reason):
    before = recorded()

    answer = revoke(here.admin, approval, reason=reason)

    assert [error["field"] for error in answer.json()["errors"]] == ["reason"]
    assert recorded() == before


def test_approvals_are_found_by_status_capability_and_who_decided(here):
    run = start(here.agent)
    one, two = (propose(here.agent, run, intent=intent)["approval"] for intent in ("one", "two"))
    decide(here.reviewer, here.reviewer.get(f"/approvals/{one}").json())

    def found(program=here.reviewer, **query):
        return [item["id"] for item in program.get("/approvals", query).json()["items"]]

    assert found() == [two, one]
    assert found(status="granted") == [one]
    assert found(status="pending") == [two]
    assert found(capability="refund-payment") == [two, one]
    assert found(capability="refund-payment@1") == [two, one]
    assert found(capability="refund") == []
    assert found(mine="decided") == [one]
    assert found(mine="open") == [two]
    assert found(here.reviewer2, mine="decided") == []
    assert found(here.reviewer2, mine="open") == [two, one]


def test_what_may_only_be_rejected_says_so_and_why(here, approval):
    observe(ToolCall.objects.get(pk=approval["tool_call"]), disputed=True)

    view = here.reviewer.get(f"/approvals/{approval['id']}").json()["view"]

    assert (view["can_decide"], view["can_reject"]) == (False, True)
    assert view["cannot_decide_reason"] == (
        "It cannot be approved as the payment stands. The payment is disputed."
    )
    assert code(decide(here.reviewer, approval)) == (409, "precondition_failed")
    rejection = decide(here.reviewer, approval, "reject", "decision-2", reason_code="other")
    assert rejection.status_code == 200


def test_a_list_of_sixty_costs_the_queries_of_two(world, django_assert_max_num_queries):
    person = world.people["reviewer"]
    _, secret = issue_token(world.workspace, person, creator=person, scopes=["decide"])
    program = Program(secret)
    mixed_questions(world, 2)
    program.get("/runs")  # The token's use is noted once a minute.
    with django_assert_max_num_queries(30) as counted:
        program.get("/approvals")
    mixed_questions(world, 58)

    with django_assert_max_num_queries(len(counted)):
        items = program.get("/approvals", {"limit": "60"}).json()["items"]

    assert len({item["run"] for item in items}) == 5
    assert {item["view"]["can_decide"] for item in items} == {True, False}


def test_pages_of_approvals_stay_put_while_others_are_asked(here):
    run = start(here.agent)
    asked = [propose(here.agent, run, intent=f"{n}")["approval"] for n in range(3)][::-1]
    first = here.admin.get("/approvals", {"limit": "2"}).json()
    propose(here.agent, run, intent="later")

    second = here.admin.get("/approvals", {"limit": "2", "cursor": first["next"]}).json()

    assert [item["id"] for item in first["items"] + second["items"]] == asked
    assert second["next"] is None
