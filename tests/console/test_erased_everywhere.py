"""A word in every field that may hold somebody's own, then nowhere: not stored, not shown."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from approvals.access import issue_token
from approvals.models import Approval
from runtime.models import Run, ToolCall
from runtime.texts import ERASED
from tests.console.api.client import Program
from tests.console.api.requests import call_body
from tests.console.commands import run_command
from tests.factories import approve
from tests.handoffs import make_handoff, make_settlement, settle
from tests.stored_words import tables_with

# One for the customer and one for the reviewer; what is about the one and by the other is both.
WORD, NAME = "Zanzibar-Quux-4711", "Xylophon-Wolpertinger"


@pytest.fixture
def programs(world):
    def program(name):
        person = world.people[name]
        scopes = {"agent": ["propose"], "admin": ["admin", "decide"], "reviewer": ["decide"]}[name]
        maker = world.people["admin"] if name == "agent" else person
        return Program(issue_token(world.workspace, person, creator=maker, scopes=scopes)[1])

    return {name: program(name) for name in ("agent", "admin", "reviewer")}


@pytest.fixture
def run(world, programs):
    """A run that is over, with the word wherever somebody could write it."""
    agent, reviewer = programs["agent"], programs["reviewer"]
    body = {
        "agent": "refund-agent",
        "harness": "external",
        "goal": f"Help {WORD}",
        "success_criterion": f"{WORD} is happy",
        "subject": {"order_id": f"order {WORD}", "customer": WORD, "name": [WORD]},
        "ticket": {"ref": f"T {WORD}", "author": WORD},
    }
    run = agent.post("/runs", body, Idempotency_Key=f"ticket {WORD}").json()["id"]
    evidence = [{"label": WORD, "text": WORD, "url": f"https://shop.example/{WORD}"}]
    said = {"summary": f"{WORD} waits", "evidence": evidence}
    call = agent.post(f"/runs/{run}/tool-calls", call_body(intent="one", reasoning=said)).json()
    items = [{"role": "user", "content": f"I am {WORD}"}]
    append = {"base_revision": 0, "attempt_token": "one", "items": items}
    agent.post(f"/runs/{run}/session/appends", append)
    approval = Approval.objects.get(tool_call=call["id"])
    no = {"decision": "reject", "revision": 1, "digest": approval.digest, "command_id": "no"}
    note = {"reason_code": "other", "note": f"{WORD} says {NAME}"}
    reviewer.post(f"/approvals/{approval.pk}/decisions", no | note)
    _hand_off(world, Run.objects.get(pk=run))
    stop = {"command_id": "stop", "kind": "stop", "reason": f"{WORD} asked {NAME}"}
    reviewer.post(f"/runs/{run}/commands", stop)
    return Run.objects.get(pk=run)


def _hand_off(world, run):
    """Two calls on the desk: one settled at once, one by two admins."""
    shown = [{"label": WORD, "text": WORD, "url": f"https://bank.example/{WORD}"}]
    words = {"reason": f"Looked up {WORD}", "evidence": shown}
    settle(world, "admin2", make_handoff(world, run, summary=WORD), **words)
    asked = make_settlement(world, make_handoff(world, run, summary=WORD), **words)
    approve(world, "admin2", asked, note=f"{WORD} agrees")


def half_typed(world, run):
    """A form that could not be taken, kept for whoever comes back to it."""
    browser = Client()
    browser.force_login(world.people["reviewer"])
    form = {"reason": f"{WORD} {NAME}" * 100, "command_id": "typed"}
    browser.post(f"/w/demo/runs/{run.pk}/stop/", form)
    return browser


def shown(world, programs, run):
    """Everything that anybody is answered, on pages and over the API, and what is exported."""
    paths = ["/runs", f"/runs/{run.pk}", f"/runs/{run.pk}/events", f"/runs/{run.pk}/session"]
    paths += ["/approvals", "/events", "/members", f"/runs/{run.pk}/continuations"]
    paths += [f"/runs/{run.pk}/audit", f"/runs/{run.pk}/trajectory"]
    pages = ["/w/demo/", "/w/demo/runs/", f"/w/demo/runs/{run.pk}/"]
    for call in ToolCall.objects.filter(run=run):
        paths.append(f"/tool-calls/{call.pk}")
        for approval in call.approvals.all():
            paths += [f"/approvals/{approval.pk}", f"/approvals/{approval.pk}/evidence"]
            pages.append(f"/w/demo/approvals/{approval.pk}/")
    for path in paths:
        yield path, programs["admin"].get(path).content.decode()
    for name in ("admin", "reviewer", "support"):
        browser = Client()
        if world.people[name].is_active:
            browser.force_login(world.people[name])
        for page in pages:
            yield f"{name} {page}", browser.get(page).text
    for export in ("export_events", "export_audit", "export_trajectories"):
        yield export, "\n".join(run_command(export, "--workspace", "demo"))


def shows(world, programs, run, word):
    return [where for where, text in shown(world, programs, run) if word in text]


def test_no_word_is_ever_stored_in_clear(world, programs, run):
    half_typed(world, run)

    # Only what docs/agents.md says: the key of the request.
    assert tables_with(WORD) == ["runtime_requestkey"]
    assert tables_with(NAME) == []


def test_after_an_erasure_a_customer_is_nowhere(world, programs, run, capsys):
    browser = half_typed(world, run)
    assert len(shows(world, programs, run, WORD)) > 10

    said = run_command(
        "erase_person", "--workspace", "demo", "--customer", WORD, "--reason", "asked", "--yes"
    )

    assert tables_with(WORD) == []
    assert shows(world, programs, run, WORD) == []
    assert WORD not in browser.get(f"/w/demo/runs/{run.pk}/").text
    assert WORD not in "\n".join([*said, *capsys.readouterr()])
    assert programs["admin"].get("/runs", {"q": f"order {WORD}"}).json()["items"][0]["subject"] == {
        "order_id": ERASED
    }
    run_command("verify_log")
    run_command("rebuild_projections", "--check")


def test_after_an_erasure_nothing_that_somebody_wrote_is_left(world, programs, run):
    browser = half_typed(world, run)
    person = world.people["reviewer"]

    run_command(
        "erase_person", "--workspace", "demo", "--user", "reviewer", "--reason", "asked", "--yes"
    )

    person.refresh_from_db()
    assert shows(world, programs, run, NAME) == []
    assert browser.get(f"/w/demo/runs/{run.pk}/").status_code == 302
    assert programs["reviewer"].get("/runs").status_code == 401
    votes = programs["admin"].get("/approvals").json()
    assert f"erased-{person.pk}" in json.dumps(votes)
