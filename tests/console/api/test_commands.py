from __future__ import annotations

import pytest

from runtime.models import Event, Receipt, ToolCall
from tests.console.api.client import code
from tests.console.api.requests import propose, recorded, start


def send(program, run, kind, command_id="command-1", **more):
    return program.post(f"/runs/{run}/commands", {"command_id": command_id, "kind": kind, **more})


def test_a_command_is_answered_with_its_receipt(here):
    run = start(here.agent)

    answer = send(here.reviewer, run, "stop", reason="Enough.")

    receipt = answer.json()
    assert answer.status_code == 200
    assert receipt == {
        "command_id": "command-1",
        "kind": "stop",
        "target": run,
        "actor": "here-reviewer",
        "surface": "api",
        "token": receipt["token"],
        "status": "applied",
        "http_status": 200,
        "code": "ok",
        "detail": "",
        "event_positions": [2, 3],
        "received_at": receipt["received_at"],
        "replayed": False,
    }
    assert here.reviewer.get("/commands/command-1").json() == receipt
    assert here.agent.get(f"/runs/{run}").json()["status"] == "stopped"


def test_the_same_command_again_answers_the_same_and_writes_nothing(here):
    run = start(here.agent)
    first = send(here.agent, run, "finish", outcome="Done.")
    before = recorded()

    again = send(here.agent, run, "finish", outcome="Done.")

    assert again.json() == {**first.json(), "replayed": True}
    assert recorded() == before


@pytest.mark.parametrize("change", [{"kind": "stop"}, {"outcome": "Other."}, {"outcome": None}])
def test_the_same_command_id_with_another_body_is_refused(here, change):
    run = start(here.agent)
    sent = {"kind": "finish", "outcome": "Done."}
    send(here.agent, run, **sent)
    before = recorded()

    answer = send(here.agent, run, **{**sent, **change})

    assert code(answer) == (422, "idempotency_mismatch")
    assert recorded() == before


def test_the_same_command_id_on_another_run_is_refused(here):
    one, other = start(here.agent), start(here.agent)
    send(here.agent, one, "finish")
    before = recorded()

    answer = send(here.agent, other, "finish")

    assert code(answer) == (422, "idempotency_mismatch")
    assert recorded() == before


def test_a_refused_command_leaves_a_receipt_and_no_event(here):
    run = start(here.agent)
    send(here.agent, run, "finish")
    events = Event.objects.count()

    refused = send(here.agent, run, "stop", command_id="command-2")

    assert code(refused) == (409, "run_ended")
    assert refused.json()["replayed"] is False
    assert Event.objects.count() == events
    kept = here.agent.get("/commands/command-2").json()
    assert (kept["status"], kept["http_status"], kept["code"]) == ("refused", 409, "run_ended")
    again = send(here.agent, run, "stop", command_id="command-2")
    assert again.json() == {**refused.json(), "replayed": True}


def test_a_receipt_is_shown_to_its_own_actor_alone(here, elsewhere):
    send(here.agent, start(here.agent), "finish", command_id="with/slash and space")

    path = "/commands/with%2Fslash%20and%20space"
    assert here.agent.get(path).status_code == 200
    others = [here.admin.get(path), here.agent2.get(path), elsewhere.agent.get(path)]
    assert [code(answer) for answer in others] == [(404, "not_found")] * 3


def test_withdrawing_a_proposal_cancels_it_and_its_question(here):
    run = start(here.agent)
    call = propose(here.agent, run)

    answer = send(here.agent, run, "withdraw", tool_call=call["id"])

    assert answer.status_code == 200
    assert here.agent.get(f"/tool-calls/{call['id']}").json()["execution_status"] == "cancelled"
    assert here.agent.get(f"/approvals/{call['approval']}").json()["status"] == "cancelled"
    late = send(here.agent, run, "withdraw", "command-2", tool_call=call["id"])
    assert code(late) == (409, "too_late")


def test_retrying_a_call_that_ended_without_effect_makes_a_successor(here):
    run = start(here.agent)
    call = propose(here.agent, run)
    send(here.agent, run, "withdraw", tool_call=call["id"])

    answer = send(here.reviewer, run, "retry", tool_call=call["id"])

    assert answer.status_code == 200
    successor = ToolCall.objects.get(retry_of=call["id"])
    seen = here.agent.get(f"/tool-calls/{successor.pk}").json()
    assert (seen["retry_of"], seen["epoch"]) == (call["id"], 2)
    assert seen["approval"] not in {None, call["approval"]}


def test_a_proposal_that_still_waits_cannot_be_retried(here):
    run = start(here.agent)
    call = propose(here.agent, run)

    assert code(send(here.agent, run, "retry", tool_call=call["id"])) == (409, "not_retryable")


def test_finishing_cancels_pending_questions(here):
    run = start(here.agent)
    call = propose(here.agent, run)

    send(here.agent, run, "finish", outcome="failed")

    assert here.agent.get(f"/runs/{run}").json()["status"] == "failed"
    assert here.agent.get(f"/approvals/{call['approval']}").json()["status"] == "cancelled"


def test_resuming_asks_again_and_overrides_nothing(here):
    run = start(here.agent)
    propose(here.agent, run)
    before = Event.objects.count()

    assert send(here.admin, run, "resume").status_code == 200
    assert Event.objects.count() == before


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, ["command_id", "kind"]),
        ({"command_id": "c", "kind": "explode"}, ["kind"]),
        ({"command_id": "", "kind": "stop"}, ["command_id"]),
        ({"command_id": "c" * 201, "kind": "stop"}, ["command_id"]),
        ({"command_id": "a\nb", "kind": "stop"}, ["command_id"]),
        ({"command_id": 7, "kind": "stop"}, ["command_id"]),
        ({"command_id": "c", "kind": "stop", "reason": ""}, ["reason"]),
        ({"command_id": "c", "kind": "stop", "reason": "\x00"}, ["reason"]),
        ({"command_id": "c", "kind": "stop", "force": True}, ["force"]),
        ({"command_id": "c", "kind": "retry"}, ["tool_call"]),
        ({"command_id": "c", "kind": "withdraw", "tool_call": "nonsense"}, ["tool_call"]),
        (
            {
                "command_id": "c",
                "kind": "retry",
                "tool_call": "00000000-0000-7000-8000-000000000000",
            },
            ["tool_call"],
        ),
    ],
)
def test_a_bad_command_is_refused_by_field_and_leaves_no_receipt(here, body, fields):
    run = start(here.agent)
    before = recorded()

    answer = here.agent.post(f"/runs/{run}/commands", body)

    assert code(answer) == (422, "invalid")
    assert [error["field"] for error in answer.json()["errors"]] == fields
    assert recorded() == before


def test_a_call_of_another_run_or_workspace_is_no_call_of_this_one(here, elsewhere):
    run = start(here.agent)
    calls = [
        propose(here.agent, start(here.agent))["id"],
        propose(elsewhere.agent, start(elsewhere.agent))["id"],
        "00000000-0000-7000-8000-000000000000",
    ]

    answers = [send(here.agent, run, "retry", tool_call=call) for call in calls]

    assert {answer.content for answer in answers} == {answers[0].content}
    assert [code(answer) for answer in answers] == [(422, "invalid")] * 3
    assert Receipt.objects.count() == 0
