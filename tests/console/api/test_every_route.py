"""Every route by every method, for every role and scope: what may not be asked changes nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from approvals.access import Scope
from approvals.models import AccessToken, PolicyVersion
from approvals.rules import withdraw_policy, write_policy
from approvals.starter import REFUNDS
from console.api.base import NothingHere
from console.api.urls import urlpatterns
from runtime.models import Event, Person
from tests.console.api.client import Program
from tests.console.api.requests import propose, recorded, start
from tests.console.api.route_table import LINES, PUBLIC, ROLES, Line
from tests.letters import make_artifact

SCOPES = tuple(Scope)
READS = [line for line in LINES if line.method == "GET"]
WRITES = [
    pytest.param(line, role, scope, id=f"{line} {number} as {role} with {scope}")
    for number, line in enumerate(LINES)
    if line not in READS
    for role, scopes in line.may.items()
    for scope in sorted(scopes)
]


@pytest.fixture
def ids(here) -> dict[str, Any]:
    """What the paths and bodies name, all of it of one workspace."""
    run = start(here.agent)
    call = propose(here.agent, run)
    approval = here.reviewer.get(f"/approvals/{call['approval']}").json()
    # The policy that the paths name stands alone, and waits for an admin to activate it.
    withdraw_policy(PolicyVersion.objects.get(workspace=here.workspace))
    write_policy(here.workspace, "returns", REFUNDS, author=None)
    return {
        "run_id": run,
        "event_id": str(Event.objects.get(run=run, position=1).pk),
        "call_id": call["id"],
        "tool_call": call["id"],
        "approval_id": approval["id"],
        "revision": approval["revision"],
        "digest": approval["digest"],
        "command_id": "nobodys",
        "username": here.person("support").username,
        "name": "returns",
        "artifact_id": str(make_artifact(run).pk),
        "token_id": str(AccessToken.objects.get(person=here.person("agent")).pk),
    }


def ask(program: Program, line: Line, ids):
    path = "/" + line.route.format(**ids)
    body = json.dumps(line.body(ids)) if line.body else ""
    return program.request(line.method, path, body)


def with_scope(place, role, scope) -> Program:
    """A token that holds the scope, whether or not its role can use it."""
    secret = place.token(role, "read")
    newest = AccessToken.objects.order_by("-pk")[:1].values("pk")
    AccessToken.objects.filter(pk__in=newest).update(scopes=[scope, "read"])
    return Program(secret)


def may(line: Line, role: str, scope: Scope) -> bool:
    scopes = line.may.get(role, frozenset())
    return "read" in scopes or scope in scopes


def routes() -> Iterator[tuple[str, str]]:
    """Each method that a view of the API has, and the address it has it under."""
    for pattern in urlpatterns:
        view = getattr(pattern.callback, "cls", None)
        if view is NothingHere:
            continue
        route = re.sub(r"<\w+:(\w+)>", r"{\1}", str(pattern.pattern)).removeprefix("api/v1/")
        methods = ("get", "post", "put", "patch", "delete")
        named = [name for name in methods if view is None or hasattr(view, name)]
        yield from ((name.upper(), route) for name in (named if view else ["get"]))


def test_every_route_has_its_line():
    lines = {(line.method, line.route) for line in LINES}

    assert set(routes()) == lines | PUBLIC


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("role", ROLES)
def test_what_a_role_and_scope_may_not_ask_is_refused_and_changes_nothing(here, ids, role, scope):
    program = with_scope(here, role, scope)
    before = recorded()

    answers = {
        str(line): ask(program, line, ids).json()["code"]
        for line in LINES
        if not may(line, role, scope)
    }

    assert set(answers.values()) <= {"not_authorized"}, answers
    assert recorded() == before


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("role", ROLES)
def test_what_a_role_and_scope_may_read_is_answered(here, ids, role, scope):
    program = with_scope(here, role, scope)

    for line in READS:
        if may(line, role, scope):
            assert ask(program, line, ids).status_code == line.ok, line


@pytest.mark.parametrize(("line", "role", "scope"), WRITES)
def test_what_a_role_and_scope_may_ask_reaches_its_handler(here, ids, line, role, scope):
    answer = ask(with_scope(here, role, scope), line, ids)

    assert answer.status_code == line.handler.get(role, line.ok), answer.content
    # A refusal of the handler's own has its receipt, and says so.
    assert answer.status_code < 400 or answer.json()["replayed"] is False


def test_who_is_no_member_is_nobody_whatever_their_flags(here, ids):
    left, superuser = here.reviewer, here.admin2
    Person.objects.filter(pk=here.person("admin2").pk).update(is_superuser=True, is_staff=True)
    for name in ("reviewer", "admin2"):
        here.membership(name).delete()
    before = recorded()

    answers = [
        (ask(program, line, ids).status_code, ask(program, line, ids).json()["code"])
        for program in (left, superuser, Program(None), Program("cst_nobodys"))
        for line in LINES
    ]

    assert set(answers) == {(401, "unauthenticated")}
    assert recorded() == before


@pytest.mark.parametrize("role", ROLES)
def test_what_is_of_another_workspace_is_not_there(ids, elsewhere, role):
    program = getattr(elsewhere, role)
    before = recorded()

    answers = {
        str(line): ask(program, line, ids).json()["code"]
        for line in LINES
        if line.hides and "{" in line.route
    }

    assert set(answers.values()) == {"not_found"}, answers
    assert recorded() == before


def test_an_agent_finds_nothing_of_another_agents_run(here, ids):
    other = here.agent2
    before = recorded()

    answers = {
        str(line): ask(other, line, ids).json()["code"]
        for line in LINES
        if re.search("run_id|event_id|call_id|approval_id", line.route)
    }

    assert set(answers.values()) == {"not_found"}, answers
    assert other.get("/runs").json()["items"] == []
    assert other.get("/approvals").json()["items"] == []
    assert recorded() == before
