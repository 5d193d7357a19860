"""A log that a newer program has written to: it is left alone, and people are told why."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command
from structlog.testing import capture_logs

from approvals.access import issue_token
from runtime import tasks
from runtime.models import Event, Receipt
from tests.approvals.nothing import nothing_happens
from tests.console.api.client import Program, problem
from tests.console.api.requests import decide
from tests.console.browser import at
from tests.console.commands import run_command
from tests.factories import approve, make_approval, make_good_grant, status_of
from tests.folded import altered_on_purpose
from tests.stored import store_about

WHY = "This program does not know approval.voted version 3."


def write_newer(approval):
    # A log that cannot be read tells nothing about rows.
    altered_on_purpose.add(approval.run_id)
    return store_about(approval, "approval.voted", {"eyes": 2}, version=3)


@pytest.fixture
def newer(world):
    """A question to people in whose run a newer program has recorded something."""
    approval = make_approval(world)
    write_newer(approval)
    return approval


@pytest.fixture
def reviewer(world):
    person = world.people["reviewer"]
    _, secret = issue_token(world.workspace, person, creator=person, scopes=["decide"])
    return Program(secret)


def test_a_decision_is_refused_with_the_reason_and_nothing_happens(reviewer, newer):
    seen = reviewer.get(f"/approvals/{newer.pk}").json()

    with nothing_happens(newer, receipts=0):
        answer = decide(reviewer, seen)

    assert problem(answer) == (503, "log_unreadable")
    assert WHY in answer.json()["detail"]


def test_an_agent_gets_nothing_into_such_a_log(world, newer):
    agent = Program(world.secret)
    before = Event.objects.count()

    asked = agent.post(f"/runs/{newer.run_id}/continuations", {})
    finished = agent.post(f"/runs/{newer.run_id}/commands", {"command_id": "f", "kind": "finish"})

    assert [problem(each) for each in (asked, finished)] == [(503, "log_unreadable")] * 2
    assert (Event.objects.count(), Receipt.objects.count()) == (before, 0)


def test_the_run_says_since_when_it_stands_still(reviewer, newer):
    run = reviewer.get(f"/runs/{newer.run_id}").json()

    at = Event.objects.get(run=newer.run, schema_version=3).recorded_at
    assert run["blocked"] == {
        "code": "log_unreadable",
        "since": at.isoformat().replace("+00:00", "Z"),
    }


def test_the_page_shows_the_run_and_says_why_nothing_goes_on(signed_in, newer):
    page = signed_in("reviewer").open(f"/w/demo/runs/{newer.run_id}/")

    assert WHY in page.html
    assert "A newer version of this program has written to the log of this run" in page.html


def test_a_decision_on_a_page_comes_back_with_the_reason(signed_in, newer):
    browser = signed_in("reviewer")
    browser.open(at(newer, "?step=approve"))

    with nothing_happens(newer, receipts=0):
        page = browser.press("Confirm approval of $5.00")

    assert "Nothing was changed. A newer version of this program has written" in page.html


def test_facts_are_given_to_programs_as_they_are_stored_known_or_not(reviewer, newer):
    events = reviewer.get(f"/runs/{newer.run_id}/events").json()["events"]

    assert events[-1]["schema_version"] == 3
    assert events[-1]["payload"] == {"eyes": 2}


def test_workers_leave_the_call_alone(world):
    approval = make_good_grant(world)
    write_newer(approval)

    with nothing_happens(approval, receipts=0), capture_logs() as logs:
        tasks.advance(str(approval.tool_call_id))

    assert [line["why"] for line in logs] == [WHY]


def test_the_chain_is_verified_and_other_runs_are_checked_all_the_same(world, newer, capsys):
    other = make_approval(world)
    approve(world, "reviewer", other)

    with pytest.raises(CommandError, match="1 differences"):
        call_command("rebuild_projections", "--check")

    assert capsys.readouterr().out.splitlines() == [f"run {newer.run_id}: {WHY}"]
    assert run_command("verify_log") == []


def test_other_runs_go_on(world, newer):
    other = make_approval(world)

    assert status_of(approve(world, "reviewer", other)) == (200, "ok")
