"""What belongs to another workspace answers exactly like what does not exist."""

from __future__ import annotations

import pytest

from runtime.models import Event
from tests.console.api.requests import propose, recorded, start
from tests.console.api.route_table import LINES
from tests.letters import make_artifact

NOTHING = "00000000-0000-7000-8000-000000000000"
COMMAND = {"command_id": "c", "kind": "stop"}
NAMING = [line for line in LINES if "_id}" in line.route]


@pytest.fixture
def theirs(elsewhere) -> dict[str, str]:
    run = start(elsewhere.agent)
    call = propose(elsewhere.agent, run)
    token = elsewhere.admin.get("/tokens").json()["items"][0]["id"]
    return {
        "run_id": run,
        "event_id": str(Event.objects.get(run=run, position=1).pk),
        "artifact_id": str(make_artifact(run).pk),
        "call_id": call["id"],
        "approval_id": call["approval"],
        "token_id": token,
        "command_id": "nobodys",
    }


def ask(program, line, ids):
    """What comes back of it that could tell one id from another."""
    answer = program.request(line.method, "/" + line.route.format(**ids), "{}")
    del answer.headers["X-Request-ID"]
    return answer.status_code, answer.content, answer.headers.items()


@pytest.mark.parametrize("role", ["support", "reviewer", "admin", "agent"])
def test_nothing_tells_the_foreign_from_the_absent_or_the_nonsensical(here, theirs, role):
    program = getattr(here, role)
    before = recorded()

    for line in NAMING:
        foreign = ask(program, line, theirs)
        absent = ask(program, line, dict.fromkeys(theirs, NOTHING))
        nonsense, *_ = ask(program, line, dict.fromkeys(theirs, "not-a-uuid"))

        assert foreign == absent, line
        assert (foreign[0], nonsense) == (404, 404), line
    assert recorded() == before


def test_lists_hold_only_what_is_of_the_workspace(here, theirs):
    for path in ("/runs", "/approvals"):
        assert here.admin.get(path).json() == {"items": [], "next": None}
    mine = {token["created_by"] for token in here.admin.get("/tokens").json()["items"]}
    assert mine == {"here-admin", "here-reviewer"}


def test_a_cursor_of_another_workspace_opens_nothing(here, theirs, elsewhere):
    start(elsewhere.agent)
    cursor = elsewhere.admin.get("/runs", {"limit": "1"}).json()["next"]

    assert here.admin.get("/runs", {"cursor": cursor}).json() == {"items": [], "next": None}


def test_a_receipt_of_another_workspace_is_not_found(here, theirs, elsewhere):
    elsewhere.admin.post(f"/runs/{theirs['run_id']}/commands", COMMAND)

    foreign, absent = here.admin.get("/commands/c"), here.admin.get("/commands/d")

    assert foreign.status_code == 404
    assert foreign.content == absent.content
