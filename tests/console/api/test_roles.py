"""Every role against every endpoint, as the table of docs/api.md says."""

from __future__ import annotations

import pytest

from runtime.models import Person
from tests.console.api.client import Program
from tests.console.api.requests import call_body, propose, recorded, run_body, start

READS = {"run", "runs", "events", "call", "approval", "approvals"}
AGENTS_OWN = {"start", "propose", "finish", "withdraw"}
STEERING = {"stop", "retry", "resume"}
ALLOWED = {
    "support": READS,
    "reviewer": READS | STEERING | {"decide", "revoke"},
    "admin": READS
    | STEERING
    | {"revoke", "tokens", "make token", "revoke token", "settle", "observe"},
    "agent": READS | STEERING | AGENTS_OWN,
}
NEEDS_MORE_THAN_READ = [
    (role, name) for role in sorted(ALLOWED) for name in sorted(ALLOWED[role] - READS)
]


def requests(here):
    """One request of each kind, about one run, that its handler would answer with 2xx."""
    run = start(here.agent, subject={"order_id": "roles"})
    call = propose(here.agent, run)
    approval = here.reviewer.get(f"/approvals/{call['approval']}").json()
    token = here.admin.post(
        "/tokens", {"user": here.person("agent").username, "scopes": ["read"]}
    ).json()["id"]

    def command(kind, **more):
        body = {"command_id": f"c-{kind}", "kind": kind, **more}
        return lambda program: program.post(f"/runs/{run}/commands", body)

    decision = {
        "command_id": "d",
        "decision": "approve",
        "revision": approval["revision"],
        "digest": approval["digest"],
    }
    at = f"/approvals/{approval['id']}"
    revocation = {"command_id": "r", "reason": "No."}
    return {
        "run": lambda program: program.get(f"/runs/{run}"),
        "runs": lambda program: program.get("/runs"),
        "events": lambda program: program.get(f"/runs/{run}/events"),
        "call": lambda program: program.get(f"/tool-calls/{call['id']}"),
        "approval": lambda program: program.get(at),
        "approvals": lambda program: program.get("/approvals"),
        "start": lambda program: program.post("/runs", run_body()),
        "propose": lambda program: program.post(f"/runs/{run}/tool-calls", call_body()),
        "finish": command("finish"),
        "withdraw": command("withdraw", tool_call=call["id"]),
        "stop": command("stop"),
        "retry": command("retry", tool_call=call["id"]),
        "resume": command("resume"),
        "decide": lambda program: program.post(f"{at}/decisions", decision),
        "revoke": lambda program: program.post(f"{at}/revocations", revocation),
        "settle": lambda program: program.post(
            f"/tool-calls/{call['id']}/settlements",
            {"command_id": "s", "outcome": "failed", "evidence": "None.", "reason": "None."},
        ),
        "observe": lambda program: program.post(
            f"/tool-calls/{call['id']}/observations",
            {"command_id": "o", "status": "confirmed_success", "evidence": "None."},
        ),
        "tokens": lambda program: program.get("/tokens"),
        "make token": lambda program: program.post(
            "/tokens", {"user": here.person("agent").username, "scopes": ["read"]}
        ),
        "revoke token": lambda program: program.delete(f"/tokens/{token}"),
    }


# Allowed by role; the handler then says that a proposal that waits needs no retry and cannot be
# settled or observed, and that a reviewer takes back nothing but an own grant.
BY_HANDLER = {
    ("revoke", "reviewer"),
    ("settle", "admin"),
    ("observe", "admin"),
    *(("retry", role) for role in ALLOWED),
}


@pytest.mark.parametrize("role", sorted(ALLOWED))
def test_a_role_reads_what_the_table_says(here, role):
    asked = requests(here)

    for name in sorted(READS):
        assert asked[name](getattr(here, role)).status_code == 200, name


@pytest.mark.parametrize(("role", "name"), NEEDS_MORE_THAN_READ)
def test_a_role_may_do_what_the_table_says(here, role, name):
    answer = requests(here)[name](getattr(here, role))

    if (name, role) in BY_HANDLER:
        assert answer.json()["replayed"] is False
    else:
        assert answer.status_code in {200, 201, 204}, answer.content


@pytest.mark.parametrize("role", sorted(ALLOWED))
def test_a_role_may_do_nothing_else(here, role):
    asked, program = requests(here), getattr(here, role)
    before = recorded()

    for name in sorted(asked.keys() - ALLOWED[role]):
        answer = asked[name](program)

        assert (answer.status_code, answer.json()["code"]) == (403, "not_authorized"), name
    assert recorded() == before


@pytest.mark.parametrize("role", ["admin", "agent", "reviewer"])
def test_a_token_without_the_scope_may_read_and_no_more(here, role):
    asked, program = requests(here), Program(here.token(role, "read"))
    before = recorded()

    for name in sorted(ALLOWED[role] - READS):
        answer = asked[name](program)

        assert (answer.status_code, answer.json()["code"]) == (403, "not_authorized"), name
    assert program.get("/runs").status_code == 200
    assert recorded() == before


def test_an_admin_revokes_with_either_of_two_scopes_and_makes_tokens_with_one(here):
    deciding = Program(here.token("admin", "decide"))
    administering = Program(here.token("admin", "admin"))
    asked = requests(here)

    assert asked["tokens"](deciding).status_code == 403
    assert asked["tokens"](administering).status_code == 200
    assert asked["stop"](deciding).status_code == 200


def test_agents_see_and_touch_only_their_own_runs(here):
    asked, program = requests(here), here.agent2
    before = recorded()

    hidden = {
        name: asked[name](program)
        for name in sorted(
            {
                "run",
                "events",
                "call",
                "approval",
                "propose",
                "decide",
                "revoke",
                "settle",
                "observe",
            }
            | {"finish", "withdraw", "stop", "retry", "resume"}
        )
    }

    assert {answer.status_code for answer in hidden.values()} == {404}
    assert here.agent2.get("/runs").json()["items"] == []
    assert here.agent2.get("/approvals").json()["items"] == []
    assert recorded() == before


def test_a_superuser_without_a_membership_has_no_way_in(here):
    program = here.reviewer
    Person.objects.filter(pk=here.person("reviewer").pk).update(is_superuser=True)
    here.membership("reviewer").delete()

    assert program.get("/runs").status_code == 401
