from __future__ import annotations

import pytest

from approvals.access import issue_token
from runtime.models import ToolCall
from tests.console.api.client import Program, code
from tests.console.api.requests import decide, propose, recorded, refund, revoke, start
from tests.factories import mixed_questions, observe


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
