from __future__ import annotations

from approvals.models import Approval, PolicyVersion
from approvals.rules import withdraw_policy
from runtime.models import ToolCall
from tests.console.api.requests import call_body, propose, recorded, refund, start


def test_a_proposal_is_answered_with_its_call_and_the_approval_it_waits_for(here):
    run = start(here.agent)

    call = propose(here.agent, run, turn_id="turn-1")

    assert call == {
        "id": call["id"],
        "run": run,
        "position": call["position"],
        "turn_id": "turn-1",
        "capability": "refund-payment@1",
        "intent": "order-001 damaged item",
        "epoch": 1,
        "revision": 1,
        "retry_of": None,
        "arguments": refund(),
        "digest": call["digest"],
        "execution_status": "proposed",
        "verification_status": "not_observed",
        "reconciliation_status": "not_required",
        "idempotency_key": "refund-payment:order-001 damaged item",
        "external_request_id": None,
        "result_ref": None,
        "approval": str(Approval.objects.get().pk),
        "dispatched_at": None,
        "accepted_at": None,
        "last_error": None,
        "artifact": None,
        "case": None,
        "attempts": [],
        "told": call["told"],
    }
    assert here.support.get(f"/tool-calls/{call['id']}").json() == call


def test_the_same_proposal_again_is_the_same_call(here):
    run = start(here.agent)
    call = propose(here.agent, run)
    before = recorded()

    again = here.agent.post(f"/runs/{run}/tool-calls", call_body())

    assert (again.status_code, again.json()) == (200, call)
    assert recorded() == before


def test_other_arguments_for_the_same_intent_are_a_revision_with_a_new_approval(here):
    run = start(here.agent)
    call = propose(here.agent, run)

    revised = here.agent.post(f"/runs/{run}/tool-calls", call_body(arguments=refund(700)))

    assert revised.status_code == 200
    assert (revised.json()["id"], revised.json()["revision"]) == (call["id"], 2)
    assert revised.json()["digest"] != call["digest"]
    assert revised.json()["approval"] != call["approval"]
    old = here.reviewer.get(f"/approvals/{call['approval']}").json()
    assert old["status"] == "superseded"


def test_an_intent_belongs_to_the_run_that_named_it_first(here):
    propose(here.agent, start(here.agent))
    other = start(here.agent)
    before = recorded()

    answer = here.agent.post(f"/runs/{other}/tool-calls", call_body())

    assert (answer.status_code, answer.json()["code"]) == (409, "intent_taken")
    assert recorded() == before


def test_the_same_intent_lives_in_two_workspaces(here, elsewhere):
    propose(here.agent, start(here.agent))
    propose(elsewhere.agent, start(elsewhere.agent))

    assert ToolCall.objects.count() == 2


def test_a_call_that_is_past_its_question_cannot_be_revised(here):
    run = start(here.agent)
    call = propose(here.agent, run)
    command = {"command_id": "w", "kind": "withdraw", "tool_call": call["id"]}
    here.agent.post(f"/runs/{run}/commands", command)
    before = recorded()

    answer = here.agent.post(f"/runs/{run}/tool-calls", call_body(arguments=refund(700)))

    assert (answer.status_code, answer.json()["code"]) == (409, "not_revisable")
    assert recorded() == before


def test_nothing_is_proposed_in_a_run_that_has_ended(here):
    run = start(here.agent)
    here.agent.post(f"/runs/{run}/commands", {"command_id": "f", "kind": "finish"})
    before = recorded()

    answer = here.agent.post(f"/runs/{run}/tool-calls", call_body())

    assert (answer.status_code, answer.json()["code"]) == (409, "run_ended")
    assert recorded() == before


def test_the_fifty_first_open_call_of_a_run_is_too_many(here):
    run = start(here.agent)
    for number in range(50):
        propose(here.agent, run, intent=f"intent-{number}")
    before = recorded()

    answer = here.agent.post(f"/runs/{run}/tool-calls", call_body(intent="one-more"))

    assert (answer.status_code, answer.json()["code"]) == (429, "too_many_open")
    assert recorded() == before


def test_a_policy_that_says_never_refuses_the_call_as_a_fact(here):
    withdraw_policy(PolicyVersion.objects.get(workspace=here.workspace))

    call = propose(here.agent, start(here.agent))

    assert call["execution_status"] == "refused"
    assert call["approval"] is None


def test_amounts_of_every_exponent_are_kept_to_the_minor_unit(here):
    run = start(here.agent)
    amounts = [(5800, "JPY"), (1250, "KWD"), (695, "USD")]

    calls = [
        propose(here.agent, run, intent=currency, arguments=refund(minor, currency))
        for minor, currency in amounts
    ]

    kept = [call["arguments"]["amount"] for call in calls]
    assert kept == [{"minor": minor, "currency": currency} for minor, currency in amounts]
    effects = [
        here.reviewer.get(f"/approvals/{call['approval']}").json()["effect"] for call in calls
    ]
    assert [effect["amount"]["display"] for effect in effects] == ["¥5,800", "KWD 1.250", "$6.95"]
