"""Settlements and observations over HTTP; what they do is tested with their handlers."""

from __future__ import annotations

import pytest

from approvals.access import SCOPES_OF, issue_token
from approvals.models import Approval
from approvals.states import Role
from tests.console.api.client import Program
from tests.console.api.requests import recorded
from tests.factories import make_world
from tests.handoffs import make_handoff, make_settlement


@pytest.fixture
def world(db):
    return make_world()


@pytest.fixture
def program(world):
    def make(name: str, *scopes: str) -> Program:
        role = Role(world.people[name].memberships.get().role)
        _, secret = issue_token(
            world.workspace,
            world.people[name],
            # Whoever made a token counts as acting through it: each person makes their own.
            creator=world.people["admin" if role is Role.AGENT else name],
            scopes=scopes or SCOPES_OF[role],
        )
        return Program(secret)

    return make


def settlement(outcome="completed", **changes):
    return {
        "command_id": "one",
        "outcome": outcome,
        "evidence": [{"label": "Dashboard", "text": "It is there", "url": "https://p.example/1"}],
        "reason": "Found it by hand",
        **changes,
    }


def observation(**changes):
    return {
        "command_id": "seen",
        "status": "confirmed_success",
        "evidence": "On the statement",
        **changes,
    }


def decision(approval, **changes):
    return {
        "command_id": "two",
        "decision": "approve",
        "revision": approval["revision"],
        "digest": approval["digest"],
        **changes,
    }


def test_from_the_desk_to_a_confirmed_outcome(world, program):
    call = make_handoff(world)
    admin, admin2 = program("admin"), program("admin2")

    asked = admin.post(f"/tool-calls/{call.pk}/settlements", settlement(result_ref="re_7"))
    approval = admin2.get(f"/approvals/{asked.json()['approval']}").json()
    decided = admin2.post(f"/approvals/{approval['id']}/decisions", decision(approval))
    settled = admin.get(f"/tool-calls/{call.pk}").json()
    seen = admin2.post(f"/tool-calls/{call.pk}/observations", observation())
    confirmed = admin.get(f"/tool-calls/{call.pk}").json()

    assert [answer.status_code for answer in (asked, decided, seen)] == [202, 200, 200]
    assert (asked.json()["kind"], asked.json()["http_status"]) == ("settle", 202)
    assert (settled["execution_status"], settled["verification_status"]) == (
        "completed",
        "inconclusive",
    )
    assert settled["result_ref"] == "re_7"
    assert confirmed["verification_status"] == "confirmed_success"
    assert confirmed["told"]["note"] is None


def test_a_settlement_reads_as_what_it_is(world, program):
    approval = make_settlement(world, result_ref="re_7")

    read = program("admin2").get(f"/approvals/{approval.pk}").json()

    assert (read["purpose"], read["preconditions"]) == ("settlement", [])
    assert read["settlement"] == {"by": "admin", "outcome": "completed", "result_ref": "re_7"}
    assert read["reasoning"] == {
        "summary": "Looked it up by hand",
        "evidence": [{"label": "Evidence", "text": "The provider's dashboard", "url": None}],
    }
    assert (read["view"]["can_decide"], read["view"]["can_reject"]) == (True, True)


@pytest.mark.parametrize("name", ["admin", "reviewer", "support"])
def test_whoever_cannot_decide_it_reads_why(world, program, name):
    approval = make_settlement(world)

    view = program(name).get(f"/approvals/{approval.pk}").json()["view"]

    assert (view["can_decide"], view["can_reject"]) == (False, False)
    assert "admin" in view["cannot_decide_reason"]


@pytest.mark.parametrize("name", ["reviewer", "support", "agent"])
def test_a_settlement_is_decided_by_admins_only(world, program, name):
    approval = make_settlement(world)
    bearer, before = program(name), recorded()

    read = bearer.get(f"/approvals/{approval.pk}").json()
    answer = bearer.post(f"/approvals/{approval.pk}/decisions", decision(read))

    assert (answer.status_code, answer.json()["code"]) == (403, "not_authorized")
    assert recorded() == before


def test_the_same_settlement_again_answers_the_same_approval(world, program):
    call, admin = make_handoff(world), program("admin")
    at = f"/tool-calls/{call.pk}/settlements"
    first = admin.post(at, settlement()).json()

    again = admin.post(at, settlement())
    receipt = admin.get("/commands/one").json()

    assert (again.status_code, again.json()) == (202, {**first, "replayed": True})
    assert receipt == first
    assert Approval.objects.filter(purpose="settlement").count() == 1


@pytest.mark.parametrize(
    "evidence",
    ["Words", {"text": "Words"}, {"url": "https://p.example"}, [{"label": "A", "text": "B"}]],
)
def test_evidence_is_words_or_pieces(world, program, evidence):
    call = make_handoff(world)
    at = f"/tool-calls/{call.pk}/settlements"

    answer = program("admin").post(at, settlement("failed", evidence=evidence))

    assert answer.status_code == 200


BAD = [
    {"evidence": ""},
    {"evidence": []},
    {"evidence": [{}]},
    {"evidence": [{"label": "Only a label"}]},
    {"evidence": [{"text": "a"}] * 21},
    {"evidence": {"text": "a", "more": 1}},
    {"evidence": 7},
    {"evidence": "a" * 10_001},
    {"reason": ""},
    {"reason": None},
    {"outcome": "accepted"},
    {"result_ref": ""},
    {"result_ref": "a\nb"},
    {"more": 1},
]


@pytest.mark.parametrize("change", BAD, ids=str)
def test_what_says_nothing_is_refused_whole(world, program, change):
    call, admin = make_handoff(world), program("admin")
    before = recorded()

    answer = admin.post(f"/tool-calls/{call.pk}/settlements", settlement(**change))

    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
    assert recorded() == before


@pytest.mark.parametrize("change", [{"status": "pending"}, {"evidence": []}, {"reason": "a"}])
def test_an_observation_is_of_a_confirmed_outcome(world, program, change):
    call, admin = make_handoff(world), program("admin")
    before = recorded()

    answer = admin.post(f"/tool-calls/{call.pk}/observations", observation(**change))

    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
    assert recorded() == before


def test_what_people_have_no_say_in_is_a_conflict(world, program):
    call, admin = make_handoff(world), program("admin")
    at = f"/tool-calls/{call.pk}"

    seen = admin.post(f"{at}/observations", observation())
    admin.post(f"{at}/settlements", settlement("failed"))
    again = admin.post(f"{at}/settlements", settlement("failed", command_id="again"))

    assert [(answer.status_code, answer.json()["code"]) for answer in (seen, again)] == [
        (409, "not_observable"),
        (409, "not_handed_off"),
    ]
    assert again.json()["execution_status"] == "failed"


def test_a_token_without_the_scope_settles_nothing(world, program):
    call, deciding = make_handoff(world), program("admin", "decide")
    before = recorded()

    answers = [
        deciding.post(f"/tool-calls/{call.pk}/settlements", settlement()),
        deciding.post(f"/tool-calls/{call.pk}/observations", observation()),
    ]

    assert [answer.status_code for answer in answers] == [403, 403]
    assert recorded() == before


@pytest.mark.parametrize("borrows", ["to propose", "to confirm"])
def test_one_person_with_two_tokens_is_no_second_admin(world, program, borrows):
    call = make_handoff(world)
    admin, body = program("admin"), {"user": "admin", "scopes": ["admin"]}
    admin2 = program("admin2")
    borrowed = Program(admin2.post("/tokens", body).json()["token"])
    first, second = (borrowed, admin2) if borrows == "to propose" else (admin2, borrowed)
    asked = first.post(f"/tool-calls/{call.pk}/settlements", settlement()).json()
    approval = admin.get(f"/approvals/{asked['approval']}").json()

    answer = second.post(f"/approvals/{approval['id']}/decisions", decision(approval))

    assert answer.status_code == 403
    assert "settlement_proposer" in answer.json()["because"]
    call.refresh_from_db()
    assert call.execution_status == "manual_handoff"
