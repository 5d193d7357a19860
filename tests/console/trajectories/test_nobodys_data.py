"""Whatever people and agents can write, no line of the export holds a word of it."""

from __future__ import annotations

import json
from itertools import count

import pytest

from approvals.access import SCOPES_OF, issue_token
from approvals.setup import add_member
from approvals.states import Role
from tests.console.api.client import Program
from tests.console.api.conftest import Place
from tests.console.api.requests import call_body, refund, run_body
from tests.console.commands import run_command
from tests.factories import make_world
from tests.handoffs import make_handoff

pytestmark = pytest.mark.django_db(transaction=True)
WORD = "Zuleika"
numbers = count(1)


@pytest.fixture
def here(db):
    return Place("here")


def planted(prefix: str = "") -> str:
    """A text that says who planted it, so that a leak can be traced."""
    return f"{prefix}{WORD}{next(numbers)}"


def ok(answer):
    assert answer.status_code in (200, 201, 202), answer.content
    return answer.json()


def evidence():
    return [{"label": planted(), "text": planted(), "url": f"https://shop.example/{planted()}"}]


def test_nothing_that_an_agent_or_a_reviewer_wrote_is_exported(here):
    initiator = add_member(here.workspace, planted(), Role.REVIEWER).person
    run = ok(
        here.agent.post(
            "/runs",
            run_body(
                agent=planted(),
                goal=planted(),
                success_criterion=planted(),
                subject={"order_id": planted(), "customer": planted(), planted(): planted()},
                initiator=initiator.username,
                ticket={"ref": planted(), "author": planted()},
            ),
        )
    )["id"]
    ok(
        here.agent.post(
            f"/runs/{run}/session/appends",
            {
                "base_revision": 0,
                "attempt_token": planted(),
                "items": [{"role": "user", "content": planted()}],
            },
        )
    )
    call = ok(
        here.agent.post(
            f"/runs/{run}/tool-calls",
            call_body(
                intent=planted(),
                turn_id=planted(),
                arguments=refund(payment=planted("pi_")),
                reasoning={"summary": planted(), "evidence": evidence()},
            ),
        )
    )
    ok(here.agent.post(f"/runs/{run}/continuations", {}))
    _decide(here, call, "reject", reason_code="other")
    again = {"command_id": planted(), "kind": "retry", "tool_call": call["id"]}
    ok(here.agent.post(f"/runs/{run}/commands", again))
    retried = here.reviewer.get("/approvals", {"status": "pending"}).json()["items"][0]
    _decide(here, {"approval": retried["id"]}, "approve")
    ok(
        here.admin.post(
            f"/approvals/{retried['id']}/revocations",
            {"command_id": planted(), "reason": planted()},
        )
    )
    stop = {"command_id": planted(), "kind": "stop", "reason": planted()}
    ok(here.reviewer.post(f"/runs/{run}/commands", stop))

    _assert_nobodys(exported("here"), run)


def test_nothing_that_an_admin_wrote_is_exported(here):
    world = make_world("desk")
    call = make_handoff(world, payment=planted("pi_"), intent=planted())
    admins = {name: _program(world, name) for name in ("admin", "admin2")}
    words = {"evidence": evidence(), "reason": planted(), "result_ref": planted("re_")}
    settled = ok(
        admins["admin"].post(
            f"/tool-calls/{call.pk}/settlements",
            {"command_id": planted(), "outcome": "completed", **words},
        )
    )
    question = admins["admin2"].get(f"/approvals/{settled['approval']}").json()
    ok(
        admins["admin2"].post(
            f"/approvals/{question['id']}/decisions",
            {
                "command_id": planted(),
                "decision": "approve",
                "revision": question["revision"],
                "digest": question["digest"],
                "note": planted(),
            },
        )
    )
    ok(
        admins["admin"].post(
            f"/tool-calls/{call.pk}/observations",
            {"command_id": planted(), "status": "confirmed_success", "evidence": evidence()},
        )
    )

    _assert_nobodys(exported("desk"), str(call.run_id))


def _decide(here, call, how, **more):
    question = here.reviewer.get(f"/approvals/{call['approval']}").json()
    body = {
        "command_id": planted(),
        "decision": how,
        "revision": question["revision"],
        "digest": question["digest"],
        "note": planted(),
    }
    ok(here.reviewer.post(f"/approvals/{question['id']}/decisions", body | more))


def _program(world, name):
    person = world.people[name]
    _, secret = issue_token(world.workspace, person, creator=person, scopes=SCOPES_OF[Role.ADMIN])
    return Program(secret)


def exported(workspace):
    return run_command("export_trajectories", f"--workspace={workspace}")


def _assert_nobodys(said, run):
    assert next(numbers) > 10
    assert [json.loads(line)["run"] for line in said] == [run]
    assert [line for line in said if WORD.lower() in line.lower()] == []
