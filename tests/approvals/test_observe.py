from __future__ import annotations

import pytest

from approvals.models import Approval
from runtime.models import Event, Reservation, Timer, ToolCall
from runtime.providers.answers import Accepted, Completed, Failed
from runtime.texts import read_texts
from tests.approvals.nothing import nothing_happens
from tests.factories import (
    event_types,
    make_call,
    make_grant,
    make_world,
    receipt_of,
    refusal_of,
    reject,
    revoke,
    status_of,
)
from tests.handoffs import (
    make_handoff,
    make_inconclusive,
    make_sent,
    observe_outcome,
    settle,
    tracks,
)

OK = (200, "ok")
COMPLETED = Completed(result_ref="re_1")


def approval_of(call) -> Approval:
    return Approval.objects.filter(tool_call=call).latest("requested_at")


@pytest.mark.parametrize("status", ["confirmed_success", "confirmed_failure"])
@pytest.mark.parametrize("name", ["admin", "admin2"])
def test_what_is_inconclusive_is_confirmed_by_an_admin_who_saw_it(world, status, name):
    call = make_inconclusive(world)

    answer = observe_outcome(world, name, call, status)

    assert (status_of(answer), tracks(call)) == (OK, ("completed", status))
    assert event_types(call.run)[-2:] == ["outcome.observed", f"outcome.{status}"]
    seen = Event.objects.filter(run=call.run).latest("position").payload
    assert (seen["source"], seen["result_ref"]) == ("person", call.result_ref)
    head = call.run.events.count()
    assert receipt_of(answer).event_positions == [head - 1, head]


def test_the_fact_names_who_saw_it_and_refers_to_what_they_show(world):
    call = make_inconclusive(world)

    observe_outcome(world, "admin2", call, evidence={"text": "Ms Ōta has the money"})

    fact = Event.objects.get(run=call.run, event_type="outcome.observed").payload
    (shown,) = fact["evidence"]
    assert (fact["by"], fact["status"]) == (world.actor("admin2").name, "confirmed_success")
    said = read_texts(part["id"] for part in shown.values() if part)
    assert sorted(said.values()) == ["Evidence", "Ms Ōta has the money"]
    assert not call.run.events.filter(body__contains="Ōta").exists()


@pytest.mark.parametrize("status", ["confirmed_success", "confirmed_failure"])
def test_what_the_provider_answered_is_confirmed_before_any_read(world, status):
    call = make_sent(world, answer=COMPLETED)

    observe_outcome(world, "admin", call, status)

    assert tracks(call) == ("completed", status)
    # A success is looked at again by and by.
    is_success = status == "confirmed_success"
    assert Timer.objects.filter(subject=call.pk).exists() is is_success


def test_an_observed_failure_sets_the_money_free(world):
    call = make_inconclusive(world)

    observe_outcome(world, "admin", call, "confirmed_failure")

    assert Reservation.objects.get(tool_call=call).released_at is not None


@pytest.mark.parametrize(
    ("status", "execution"), [("confirmed_success", "completed"), ("confirmed_failure", "failed")]
)
def test_what_the_provider_had_only_accepted_is_over_with_its_outcome(world, status, execution):
    call = make_sent(world, answer=Accepted(result_ref="re_1"))

    observe_outcome(world, "admin", call, status)

    assert tracks(call) == (execution, status)
    assert event_types(call.run)[-3:] == [
        "outcome.observed",
        f"tool.call.{execution}",
        f"outcome.{status}",
    ]


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("confirmed_success", "confirmed_failure"),
        ("confirmed_failure", "confirmed_success"),
    ],
)
def test_a_later_observation_takes_the_place_of_an_earlier_one(world, first, then):
    call = make_inconclusive(world)
    observe_outcome(world, "admin", call, first)

    answer = observe_outcome(world, "admin2", call, then)

    assert (status_of(answer), tracks(call)) == (OK, ("completed", then))


def test_what_is_confirmed_already_is_no_news(world):
    call = make_inconclusive(world)
    observe_outcome(world, "admin", call)

    with nothing_happens(approval_of(call), receipts=1):
        answer = observe_outcome(world, "admin2", call)

    assert status_of(answer) == (409, "already_confirmed")


def refused(world):
    call = make_call(world)
    reject(world, "reviewer", Approval.objects.get(tool_call=call))
    return call


def cancelled(world):
    call = make_call(world)
    revoke(world, "admin", Approval.objects.get(tool_call=call))
    return call


def failed(world):
    return make_sent(world, answer=Failed(code="card_expired", detail="No."))


def settled_as_failed(world):
    call = make_handoff(world)
    settle(world, "admin", call)
    return call


UNOBSERVABLE = {
    "proposed": make_call,
    "authorized": lambda world: make_grant(world).tool_call,
    "refused": refused,
    "cancelled": cancelled,
    "failed": failed,
    "settled as failed": settled_as_failed,
    "unknown": make_sent,
    "handed off": make_handoff,
}


@pytest.mark.parametrize("made", UNOBSERVABLE.values(), ids=UNOBSERVABLE.keys())
@pytest.mark.parametrize("status", ["confirmed_success", "confirmed_failure"])
def test_what_never_was_accepted_has_no_outcome_to_be_seen(world, made, status):
    call = made(world)
    call.refresh_from_db()

    with nothing_happens(approval_of(call), receipts=1):
        answer = observe_outcome(world, "admin", call, status)

    assert status_of(answer) == (409, "not_observable")
    assert refusal_of(answer).extra == {
        "execution_status": call.execution_status,
        "verification_status": "not_observed",
    }


@pytest.mark.parametrize("name", ["reviewer", "senior", "support", "agent"])
def test_nobody_elses_observation_counts(world, name):
    call = make_inconclusive(world)

    with nothing_happens(approval_of(call), receipts=0):
        answer = observe_outcome(world, name, call)

    assert status_of(answer) == (403, "not_authorized")


def test_the_same_observation_again_gets_the_same_answer(world):
    call = make_inconclusive(world)
    first = observe_outcome(world, "admin", call, command_id="one")

    with nothing_happens(approval_of(call), receipts=0):
        again = observe_outcome(world, "admin", call, command_id="one")
        other = observe_outcome(world, "admin", call, "confirmed_failure", command_id="one")

    assert (again.replayed, again.receipt) == (True, first.receipt)
    assert status_of(other) == (422, "idempotency_mismatch")


def test_a_call_of_another_workspace_does_not_exist(world):
    call = make_inconclusive(world)
    elsewhere = make_world("elsewhere")

    with nothing_happens(approval_of(call), receipts=0), pytest.raises(ToolCall.DoesNotExist):
        observe_outcome(elsewhere, "admin", call)
