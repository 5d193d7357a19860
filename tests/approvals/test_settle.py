from __future__ import annotations

from datetime import timedelta

import pytest

from approvals.models import Approval, Consumption
from runtime.models import Event, PersonalText, Reservation, Timer, ToolCall
from runtime.texts import read_texts
from tests.approvals.nothing import nothing_happens
from tests.factories import (
    event_types,
    make_call,
    make_world,
    move_clock,
    receipt_of,
    refusal_of,
    status_of,
)
from tests.handoffs import find_late, make_handoff, make_settlement, settle

OK = (200, "ok")
ASKED = (202, "ok")


def effect_approval(call) -> Approval:
    return Approval.objects.get(tool_call=call, purpose="effect")


def settled_fact(call):
    return Event.objects.get(tool_call_id=call.pk, event_type="tool.call.settled").payload


@pytest.mark.parametrize(
    ("outcome", "code"),
    [("failed", "settled_as_failed"), ("not_executed", "settled_as_not_executed")],
)
def test_that_nothing_moved_is_one_admins_word(world, outcome, code):
    call = make_handoff(world)

    answer = settle(world, "admin2", call, outcome)

    call.refresh_from_db()
    assert status_of(answer) == OK
    assert (call.execution_status, call.error_code) == ("failed", code)
    assert call.verification_status == "not_observed"
    assert event_types(call.run)[-2:] == ["tool.call.settled", "tool.call.failed"]
    assert Reservation.objects.get(tool_call=call).released_at is not None
    assert not Timer.objects.filter(subject=call.pk).exists()
    head = call.run.events.count()
    assert receipt_of(answer).event_positions == [head - 1, head]


def test_the_fact_names_who_said_it_and_refers_to_their_words(world):
    call = make_handoff(world)

    pieces = [{"label": "Dashboard", "text": "No refund of Ms Ōta", "url": "https://p.example/1"}]
    answer = settle(world, "admin", call, evidence=pieces, reason="Asked Ms Ōta", result_ref="re_9")

    fact = settled_fact(call)
    (shown,) = fact["evidence"]
    said = read_texts([fact["reason"]["id"], *(part["id"] for part in shown.values())])
    assert {fact["by"], fact["outcome"], fact["result_ref"]} == {
        world.actor("admin").name,
        "failed",
        "re_9",
    }
    assert sorted(said.values()) == [
        "Asked Ms Ōta",
        "Dashboard",
        "No refund of Ms Ōta",
        "https://p.example/1",
    ]
    assert str(receipt_of(answer).note) == fact["reason"]["id"]
    assert not call.run.events.filter(body__contains="Ōta").exists()


def test_that_money_moved_asks_another_admin(world):
    call = make_handoff(world)

    answer = settle(world, "admin", call, "completed")

    approval = Approval.objects.get(tool_call=call, status="pending")
    assert status_of(answer) == ASKED
    assert receipt_of(answer).extra == {"approval": str(approval.pk)}
    assert ToolCall.objects.get(pk=call.pk).execution_status == "manual_handoff"
    assert event_types(call.run)[-1] == "approval.settlement_requested"
    assert (approval.purpose, approval.needed, approval.policy) == (
        "settlement",
        1,
        effect_approval(call).policy,
    )
    assert approval.decide_by == receipt_of(answer).received_at + timedelta(hours=1)
    assert approval.digest != call.digest
    proposer = {"person": str(world.people["admin"].pk), "because": "settlement_proposer"}
    assert proposer in approval.conflicts
    assert Timer.objects.get(subject=approval.pk).due_at == approval.decide_by


def test_one_question_about_a_call_is_open_at_a_time(world):
    approval = make_settlement(world)

    with nothing_happens(approval, receipts=1):
        answer = settle(world, "admin2", approval.tool_call, "completed")

    assert status_of(answer) == (409, "settlement_pending")
    assert refusal_of(answer).extra == {"approval": str(approval.pk)}


def test_a_question_that_nobody_answered_in_time_gives_way_to_the_next(world):
    approval = make_settlement(world)
    move_clock(approval, decide_by=timedelta(seconds=-1))

    answer = settle(world, "admin", approval.tool_call, "completed")

    approval.refresh_from_db()
    assert (status_of(answer), approval.status) == (ASKED, "expired")
    assert Approval.objects.filter(tool_call=approval.tool_call, status="pending").count() == 1


@pytest.mark.parametrize("name", ["admin", "admin2"])
def test_another_settlement_answers_the_open_question(world, name):
    approval = make_settlement(world)

    answer = settle(world, name, approval.tool_call, "not_executed")

    approval.refresh_from_db()
    assert status_of(answer) == OK
    assert (approval.status, approval.settled_code) == ("cancelled", "call_settled")
    assert event_types(approval.run)[-3:] == [
        "tool.call.settled",
        "approval.cancelled",
        "tool.call.failed",
    ]
    assert not Timer.objects.filter(subject=approval.pk).exists()


def test_a_late_answer_answers_the_open_question(world):
    approval = make_settlement(world)

    find_late(approval.tool_call)

    approval.refresh_from_db()
    assert (approval.status, approval.settled_code) == ("cancelled", "call_settled")
    assert event_types(approval.run)[-3:] == [
        "approval.cancelled",
        "tool.call.completed",
        "outcome.pending",
    ]


@pytest.mark.parametrize("name", ["reviewer", "senior", "support", "agent"])
@pytest.mark.parametrize("outcome", ["completed", "failed"])
def test_nobody_else_settles(world, name, outcome):
    call = make_handoff(world)

    with nothing_happens(effect_approval(call), receipts=0):
        answer = settle(world, name, call, outcome)

    assert status_of(answer) == (403, "not_authorized")


@pytest.mark.parametrize("outcome", ["completed", "failed", "not_executed"])
def test_only_what_was_handed_over_is_settled(world, outcome):
    call = make_call(world)
    texts = PersonalText.objects.count()

    with nothing_happens(effect_approval(call), receipts=1):
        answer = settle(world, "admin", call, outcome)

    assert status_of(answer) == (409, "not_handed_off")
    assert refusal_of(answer).extra == {"execution_status": "proposed"}
    # The reason is on the receipt; what was shown for nothing is not kept.
    assert PersonalText.objects.count() == texts + 1


def test_a_call_is_settled_once(world):
    call = make_handoff(world)
    settle(world, "admin", call)

    with nothing_happens(effect_approval(call), receipts=1):
        answer = settle(world, "admin2", call, "completed")

    assert status_of(answer) == (409, "not_handed_off")


@pytest.mark.parametrize("outcome", ["completed", "failed"])
def test_the_same_settlement_again_gets_the_same_answer(world, outcome):
    call = make_handoff(world)
    first = settle(world, "admin", call, outcome, command_id="one")

    with nothing_happens(effect_approval(call), receipts=0):
        again = settle(world, "admin", call, outcome, command_id="one")
        other = settle(world, "admin", call, outcome, command_id="one", reason="Another")

    assert (again.replayed, again.receipt) == (True, first.receipt)
    assert status_of(other) == (422, "idempotency_mismatch")


def test_a_call_of_another_workspace_does_not_exist(world):
    call = make_handoff(world)
    elsewhere = make_world("elsewhere")

    with nothing_happens(effect_approval(call), receipts=0), pytest.raises(ToolCall.DoesNotExist):
        settle(elsewhere, "admin", call)


def test_the_question_spends_nothing(world):
    make_settlement(world)

    assert Consumption.objects.count() == 1
