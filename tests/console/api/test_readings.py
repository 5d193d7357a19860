from __future__ import annotations

import json

import pytest

from console.readings import READINGS
from runtime.models import Event, Receipt
from tests.console.api.client import code
from tests.console.api.requests import decide
from tests.console.commands import run_command


@pytest.fixture
def run(here, approval):
    """A run with a refused decision, a good one, and one that comes too late."""
    decide(here.reviewer, approval, command_id="stale", revision=9)
    decide(here.reviewer, approval)
    decide(here.reviewer2, approval, command_id="late")
    return approval["run"]


def pages(here, run, limit):
    after, found = 0, []
    while True:
        page = here.admin.get(f"/runs/{run}/audit", {"after": after, "limit": limit}).json()
        found.append(page)
        if len(page["events"]) < limit:
            return found
        after = page["events"][-1]["position"]


def test_every_reading_has_a_name_of_its_own():
    assert len({reading.name for reading in READINGS}) == 4


def test_an_audit_holds_every_event_and_every_command_refused_ones_too(here, run):
    page = here.admin.get(f"/runs/{run}/audit").json()

    head = Event.objects.filter(run=run).latest("position")
    assert (page["reading"], page["schema_version"]) == ("audit_record", 1)
    assert (page["head"], page["head_hash"]) == (head.position, head.hash)
    assert page["events"] == here.admin.get(f"/runs/{run}/events").json()["events"]
    assert [(each["command_id"], each["code"]) for each in page["receipts"]] == [
        ("stale", "stale"),
        ("decision-1", "ok"),
        ("late", "already_settled"),
    ]
    assert page["receipts"][1]["event_positions"] == [5, 6, 7]


@pytest.mark.parametrize("limit", [1, 2, 4, 7])
def test_page_by_page_every_event_and_receipt_stands_once(here, run, limit):
    found = pages(here, run, limit)

    whole = here.admin.get(f"/runs/{run}/audit").json()
    assert [each for page in found for each in page["events"]] == whole["events"]
    assert [each for page in found for each in page["receipts"]] == whole["receipts"]


def test_only_an_admin_audits_and_support_does_not_grade(here, run):
    asked = {
        name: (
            getattr(here, name).get(f"/runs/{run}/audit").status_code,
            getattr(here, name).get(f"/runs/{run}/trajectory").status_code,
        )
        for name in ("support", "reviewer", "admin", "agent")
    }

    assert asked == {
        "support": (403, 403),
        "reviewer": (403, 200),
        "admin": (200, 200),
        "agent": (403, 200),
    }
    assert code(here.agent2.get(f"/runs/{run}/trajectory")) == (404, "not_found")


def test_a_trajectory_is_the_line_that_is_exported(here, run):
    (line,) = run_command("export_trajectories", "--workspace=here")

    read = here.reviewer.get(f"/runs/{run}/trajectory").json()

    assert read == json.loads(line)
    assert (read["reading"], read["schema_version"]) == ("evaluation_trajectory", 1)


def test_an_exported_record_is_headed_and_whole(here, run):
    lines = [json.loads(line) for line in run_command("export_audit", "--workspace=here")]

    kinds = [line["kind"] for line in lines]
    events = [line["event"] for line in lines if line["kind"] == "event"]
    receipts = [line["command_id"] for line in lines if line["kind"] == "receipt"]
    assert kinds == sorted(kinds, key=["header", "change", "run", "event", "receipt"].index)
    assert (lines[0]["reading"], lines[0]["workspace"]) == ("audit_record", "here")
    assert events == here.admin.get(f"/runs/{run}/events").json()["events"]
    assert receipts == ["stale", "decision-1", "late"]
    assert kinds.count("change") == here.workspace.changes.count()


def test_one_run_is_exported_without_the_workspace_s_changes(here, run, elsewhere):
    lines = [
        json.loads(line) for line in run_command("export_audit", "--workspace=here", f"--run={run}")
    ]

    assert {line["kind"] for line in lines} == {"header", "run", "event", "receipt"}
    assert Receipt.objects.count() == 3
