"""What belongs to another workspace answers exactly like what does not exist."""

from __future__ import annotations

import pytest

from tests.console.api.requests import call_body, propose, recorded, start

NOTHING = "00000000-0000-7000-8000-000000000000"
COMMAND = {"command_id": "c", "kind": "stop"}
DECISION = {"command_id": "c", "decision": "approve", "revision": 1, "digest": "0" * 64}
PLACES = {
    "run": ("get", "/runs/{run}", None),
    "events": ("get", "/runs/{run}/events", None),
    "proposal": ("post", "/runs/{run}/tool-calls", call_body()),
    "command": ("post", "/runs/{run}/commands", COMMAND),
    "call": ("get", "/tool-calls/{call}", None),
    "approval": ("get", "/approvals/{approval}", None),
    "decision": ("post", "/approvals/{approval}/decisions", DECISION),
    "revocation": ("post", "/approvals/{approval}/revocations", {"command_id": "c", "reason": "x"}),
    "token": ("delete", "/tokens/{token}", None),
}


@pytest.fixture
def theirs(elsewhere) -> dict[str, str]:
    run = start(elsewhere.agent)
    call = propose(elsewhere.agent, run)
    token = elsewhere.admin.get("/tokens").json()["items"][0]["id"]
    return {"run": run, "call": call["id"], "approval": call["approval"], "token": token}


def ask(program, place, ids):
    method, path, body = PLACES[place]
    arguments = [] if body is None else [body]
    return getattr(program, method)(path.format(**ids), *arguments)


def told(answer) -> dict[str, str]:
    """Every header but the one that is new each time."""
    return {name: value for name, value in answer.headers.items() if name != "X-Request-ID"}


@pytest.mark.parametrize("role", ["support", "reviewer", "admin", "agent"])
def test_nothing_tells_the_foreign_from_the_absent_or_the_nonsensical(here, theirs, role):
    program = getattr(here, role)
    before = recorded()

    for place in PLACES:
        foreign = ask(program, place, theirs)
        absent = ask(program, place, dict.fromkeys(theirs, NOTHING))
        nonsense = ask(program, place, dict.fromkeys(theirs, "not-a-uuid"))

        assert foreign.content == absent.content, place
        assert told(foreign) == told(absent), place
        assert (nonsense.status_code, nonsense.json()["code"]) == (404, "not_found"), place
        assert foreign.status_code == 404 or (place, role) != ("token", "admin"), place
    assert recorded() == before


def test_lists_hold_only_what_is_of_the_workspace(here, theirs):
    for path in ("/runs", "/approvals"):
        assert here.admin.get(path).json() == {"items": [], "next": None}
    mine = {token["created_by"] for token in here.admin.get("/tokens").json()["items"]}
    assert mine == {"here-admin"}


def test_a_cursor_of_another_workspace_opens_nothing(here, theirs, elsewhere):
    start(elsewhere.agent)
    cursor = elsewhere.admin.get("/runs", {"limit": "1"}).json()["next"]

    assert here.admin.get("/runs", {"cursor": cursor}).json() == {"items": [], "next": None}


def test_a_receipt_of_another_workspace_is_not_found(here, theirs, elsewhere):
    elsewhere.admin.post(f"/runs/{theirs['run']}/commands", COMMAND)

    foreign, absent = here.admin.get("/commands/c"), here.admin.get("/commands/d")

    assert foreign.status_code == 404
    assert foreign.content == absent.content
