"""Arguments too large for a fact: kept beside the log, read back whole, erased like any text."""

from __future__ import annotations

import hashlib
import json

import pytest
import rfc8785
from django.db import DatabaseError, transaction

from approvals.folding import approval_differences
from runtime import texts
from runtime.artifacts import MOST_INLINE_BYTES
from runtime.canonical import effect_digest
from runtime.event_types import MOST_BODY_BYTES
from runtime.folding import run_differences
from runtime.models import Artifact, Event, PersonalText, Run, ToolCall
from tests.console.api.client import code, problem
from tests.console.api.requests import call_body, decide, propose, recorded, start
from tests.factories import observe
from tests.letters import NAME, letter_arguments, permit, plug_in

HIDDEN = "$5.00 for pi_1; the arguments cannot be shown."


@pytest.fixture(autouse=True)
def _plugged_in(here, monkeypatch):
    plug_in(monkeypatch)
    permit(here.workspace)


@pytest.fixture
def run(here):
    return start(here.agent)


@pytest.fixture
def call(here, run):
    return propose(here.agent, run, capability=NAME, arguments=letter_arguments())


def artifact_of(program, call):
    return program.get(f"/runs/{call['run']}/artifacts/{call['artifact']}")


def forget(run_id):
    """Erase the customer of a run."""
    run = Run.objects.get(pk=run_id)
    PersonalText.objects.filter(key__subject=texts.about_run(run)).update(
        ciphertext=None, digest_key=None
    )


def test_large_arguments_are_named_by_the_fact_and_read_whole_on_the_call(call):
    (proposed,) = Event.objects.filter(event_type="tool.call.proposed")

    assert call["arguments"] == letter_arguments()
    assert call["digest"] == effect_digest(call["capability"], letter_arguments())
    assert (str(proposed.artifact_id), proposed.payload["arguments"]) == (call["artifact"], {})
    assert proposed.payload["digest"] == call["digest"]
    assert "Zoë" not in "".join(Event.objects.values_list("body", flat=True))


def test_an_artifact_is_served_with_a_digest_that_its_content_has(here, call):
    served = artifact_of(here.reviewer, call).json()

    content = rfc8785.dumps(letter_arguments())
    assert (served["state"], served["content"]) == ("readable", letter_arguments())
    assert served["digest"] == hashlib.sha256(content).hexdigest()
    assert (served["size"], served["media_type"]) == (len(content), "application/json")


def test_what_lies_in_the_database_is_not_the_letter(call):
    row = PersonalText.objects.get(pk=call["artifact"])

    assert b"Dear customer" not in bytes(row.ciphertext or b"")
    assert json.loads(ToolCall.objects.get(pk=call["id"]).arguments) == {}


def test_arguments_that_fit_stand_in_the_fact(here, run):
    empty = len(rfc8785.dumps(letter_arguments(letter="")))
    fitting = letter_arguments(letter="x" * (MOST_INLINE_BYTES - empty))

    call = propose(here.agent, run, capability=NAME, arguments=fitting)

    assert (call["arguments"], call["artifact"]) == (fitting, None)
    assert Artifact.objects.count() == 0
    longer = {**fitting, "letter": fitting["letter"] + "x"}
    revised = here.agent.post(
        f"/runs/{run}/tool-calls", call_body(capability=NAME, arguments=longer)
    ).json()
    assert revised["id"] == call["id"]
    assert revised["artifact"] == str(Artifact.objects.get().pk)


def test_the_largest_arguments_in_a_fact_leave_room_for_all_the_evidence_there_may_be(here, run):
    ref = "https://shop.example/photo/1"
    evidence = [{"label": "Photo", "text": "Broken", "url": ref}] * 100
    empty = len(rfc8785.dumps(letter_arguments(letter="")))
    letter = "x" * (MOST_INLINE_BYTES - empty)

    call = propose(
        here.agent,
        run,
        capability=NAME,
        intent="é" * 200,
        arguments=letter_arguments("pi_" + "1" * 190, letter=letter[190:]),
        reasoning={"summary": "Broken", "evidence": evidence},
    )

    assert call["artifact"] is None
    (proposed,) = Event.objects.filter(event_type="tool.call.proposed")
    assert 62_000 < len(proposed.body.encode()) < MOST_BODY_BYTES


def test_a_question_about_large_arguments_is_decided_like_any_other(here, call):
    observe(ToolCall.objects.get(pk=call["id"]))
    approval = here.reviewer.get(f"/approvals/{call['approval']}").json()
    (asked,) = Event.objects.filter(event_type="approval.requested")

    answer = decide(here.reviewer, approval)

    assert approval["effect"]["sentence"].startswith("Refund $5.00 of payment pi_1")
    assert (str(asked.artifact_id), asked.payload["arguments"]) == (call["artifact"], {})
    assert answer.status_code == 200
    assert here.agent.get(f"/tool-calls/{call['id']}").json()["execution_status"] == "authorized"


def test_rows_are_what_the_log_says_and_a_successor_shares_the_artifact(here, call):
    approval = here.reviewer.get(f"/approvals/{call['approval']}").json()
    decide(here.reviewer, approval, "reject", reason_code="other")

    retried = here.agent.post(
        f"/runs/{call['run']}/commands",
        {"command_id": "r", "kind": "retry", "tool_call": call["id"]},
    )

    assert retried.status_code == 200
    successor = ToolCall.objects.get(retry_of=call["id"])
    assert str(successor.artifact) == call["artifact"]
    assert [*run_differences(successor.run_id), *approval_differences(successor.run_id)] == []


def test_whoever_sees_no_personal_text_sees_no_artifact(here, call):
    served = artifact_of(here.support, call).json()
    shown = here.support.get(f"/tool-calls/{call['id']}").json()
    approval = here.support.get(f"/approvals/{call['approval']}").json()

    assert (served["state"], served["content"]) == ("masked", None)
    assert (shown["arguments"], shown["artifact"]) == (None, call["artifact"])
    assert approval["effect"]["sentence"] == HIDDEN


def test_an_erased_artifact_reads_as_a_tombstone_everywhere(here, call):
    forget(call["run"])

    served = artifact_of(here.reviewer, call).json()
    shown = here.agent.get(f"/tool-calls/{call['id']}").json()
    approval = here.reviewer.get(f"/approvals/{call['approval']}").json()

    assert (served["state"], served["content"]) == ("erased", None)
    assert (shown["arguments"], shown["digest"]) == (None, call["digest"])
    assert approval["effect"]["sentence"] == HIDDEN


def test_what_has_been_erased_cannot_be_approved_and_can_be_rejected(here, call):
    observe(ToolCall.objects.get(pk=call["id"]))
    approval = here.reviewer.get(f"/approvals/{call['approval']}").json()
    forget(call["run"])
    before = Event.objects.count()

    refused = decide(here.reviewer, approval)

    assert code(refused) == (409, "precondition_failed")
    assert refused.json()["name"] == "arguments_readable"
    assert Event.objects.count() == before
    rejected = decide(here.reviewer, approval, "reject", command_id="d-2", reason_code="other")
    assert rejected.status_code == 200


@pytest.mark.parametrize("who", ["agent2", "elsewhere"])
def test_an_artifact_of_others_is_as_good_as_none(here, elsewhere, call, who):
    program = elsewhere.reviewer if who == "elsewhere" else here.agent2

    assert problem(artifact_of(program, call)) == (404, "not_found")


def test_an_artifact_is_found_in_its_own_run_only(here, call):
    other = start(here.agent)

    answer = here.reviewer.get(f"/runs/{other}/artifacts/{call['artifact']}")

    assert problem(answer) == (404, "not_found")


def test_nothing_of_a_proposal_that_is_refused_is_kept(here, run):
    here.agent.post(f"/runs/{run}/commands", {"command_id": "f", "kind": "finish"})
    before = (recorded(), Artifact.objects.count())

    answer = here.agent.post(
        f"/runs/{run}/tool-calls", call_body(capability=NAME, arguments=letter_arguments())
    )

    assert code(answer) == (409, "run_ended")
    assert (recorded(), Artifact.objects.count()) == before


def test_the_database_changes_no_artifact(call):
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        Artifact.objects.update(digest="0" * 64)
