"""Facts that an older program stored: they stay as they are, and read as today's."""

from __future__ import annotations

import json

import pytest

from approvals.access import issue_token
from approvals.events import ApprovalVoted, Seen
from approvals.models import Vote
from runtime.event_log import read, recorded
from runtime.models import Event
from tests.console.api.client import Program
from tests.console.commands import run_command
from tests.factories import approve, make_approval, new_policy, observe, reject
from tests.stored import store_grant_of_version_one

V1_FIELDS = {"person", "decision", "reason_code", "note", "command_id"}


@pytest.fixture
def old(world):
    """An approval that an older program granted: its facts by that program, its rows by ours."""
    approval = make_approval(world)
    store_grant_of_version_one(approval, world.people["reviewer"])
    run_command("rebuild_projections")
    approval.refresh_from_db()
    return approval


def voted(run):
    return Event.objects.get(run=run, event_type="approval.voted")


def test_a_vote_of_version_one_reads_as_one_whose_grounds_were_not_kept(world, old):
    (fact,) = [each for each in read(old.run_id) if isinstance(each.payload, ApprovalVoted)]

    assert fact.payload == ApprovalVoted(
        person=world.people["reviewer"].pk,
        decision="approve",
        reason_code=None,
        note=None,
        command_id="command-1",
        surface=None,
        token=None,
        seen=None,
    )
    assert fact.envelope.schema_version == 1


def test_rows_are_made_of_old_facts_as_of_new_ones(world, old):
    vote = Vote.objects.get(approval=old)

    assert (old.status, old.tool_call.execution_status) == ("granted", "authorized")
    assert (vote.person, vote.decision) == (world.people["reviewer"], "approve")
    assert run_command("rebuild_projections", "--check") == []


def test_an_old_log_verifies_and_nothing_in_it_was_rewritten(old):
    assert run_command("verify_log") == []
    assert voted(old.run).schema_version == 1
    assert set(json.loads(voted(old.run).body)) == V1_FIELDS


def test_the_timeline_says_an_old_vote_like_a_new_one(old, signed_in):
    page = signed_in("support").open(f"/w/demo/runs/{old.run_id}/")

    assert "reviewer voted: approve" in page.html


def test_programs_and_exports_get_an_old_fact_as_it_is_stored(world, old):
    admin = world.people["admin"]
    _, secret = issue_token(world.workspace, admin, creator=admin, scopes=["read"])

    answer = Program(secret).get(f"/runs/{old.run_id}/events", {"type": "approval.voted"})
    exported = [json.loads(line) for line in run_command("export_events", "--workspace=demo")]

    (event,) = answer.json()["events"]
    stored = voted(old.run)
    assert (event["schema_version"], event["hash"]) == (1, stored.hash)
    assert event["payload"] == json.loads(stored.body)
    assert event in exported


def test_a_new_vote_says_what_was_seen_under_which_policy_and_through_which_door(world):
    approval = make_approval(world)
    seen = observe(approval.tool_call)
    approval.run.refresh_from_db()

    approve(world, "reviewer", approval)

    row = voted(approval.run)
    payload = recorded(row).payload
    assert isinstance(payload, ApprovalVoted)
    assert row.schema_version == 2
    assert (payload.surface, payload.token) == ("api", None)
    assert payload.seen == Seen(
        revision=1,
        digest=approval.digest,
        policy=world.policy.pk,
        policy_version=1,
        position=row.position - 1,
        observation=seen.pk,
        payment_as_of=seen.as_of,
    )


def test_a_vote_on_a_payment_that_was_never_read_says_so_and_names_its_own_policy(world):
    approval = make_approval(world)
    new_policy(world)

    reject(world, "reviewer", approval)

    payload = recorded(voted(approval.run)).payload
    assert isinstance(payload, ApprovalVoted)
    assert payload.seen is not None
    assert (payload.seen.policy, payload.seen.policy_version) == (world.policy.pk, 1)
    assert (payload.seen.observation, payload.seen.payment_as_of) == (None, None)
