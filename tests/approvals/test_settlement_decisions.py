from __future__ import annotations

from datetime import timedelta

import pytest

from approvals.handlers import expire
from approvals.models import Authority, Consumption
from runtime.handlers import RunCommand, RunCommandKind, command_run
from runtime.models import Event, Reservation, Timer, ToolCall
from tests.approvals.nothing import nothing_happens
from tests.factories import (
    approve,
    event_types,
    make_approval,
    make_run,
    move_clock,
    receipt_of,
    refusal_of,
    reject,
    revoke,
    status_of,
)
from tests.handoffs import find_late, make_handoff, make_settlement, settle

OK = (200, "ok")
A_SECOND_AGO = timedelta(seconds=-1)


def call_of(approval) -> ToolCall:
    return ToolCall.objects.get(pk=approval.tool_call_id)


def settled_fact(approval):
    fact = Event.objects.get(run=approval.run, event_type="tool.call.settled")
    return fact.payload


def test_a_second_admins_yes_completes_the_call_in_one_go(world):
    approval = make_settlement(world)

    answer = approve(world, "admin2", approval)

    approval.refresh_from_db()
    call = call_of(approval)
    assert status_of(answer) == OK
    assert (approval.status, approval.settled_by) == ("consumed", world.actor("admin2").name)
    assert (call.execution_status, call.verification_status) == ("completed", "inconclusive")
    assert event_types(approval.run)[-6:] == [
        "approval.voted",
        "approval.granted",
        "approval.consumed",
        "tool.call.settled",
        "tool.call.completed",
        "outcome.inconclusive",
    ]
    head = approval.run.events.count()
    assert receipt_of(answer).event_positions == list(range(head - 5, head + 1))
    assert Consumption.objects.get(approval=approval).tool_call == call
    assert not Timer.objects.filter(subject__in=[approval.pk, call.pk]).exists()


def test_the_settlement_names_both_and_the_words_of_the_first(world):
    approval = make_settlement(world)
    requested = Event.objects.get(event_type="approval.settlement_requested").payload

    approve(world, "admin2", approval)

    assert settled_fact(approval) == {
        "outcome": "completed",
        "by": world.actor("admin").name,
        "confirmed_by": world.actor("admin2").name,
        "approval": str(approval.pk),
        "result_ref": None,
        "reason": requested["reason"],
        "evidence": requested["evidence"],
    }


@pytest.mark.parametrize("given", ["re_found", None])
def test_a_completed_call_has_the_providers_id_or_names_its_settlement(world, given):
    approval = make_settlement(world, result_ref=given)

    approve(world, "admin2", approval)

    assert call_of(approval).result_ref == (given or f"settlement:{approval.pk}")


def test_what_was_reserved_for_a_call_settled_as_completed_stays_so(world):
    approval = make_settlement(world)

    approve(world, "admin2", approval)

    assert Reservation.objects.get(tool_call=approval.tool_call).released_at is None


def test_a_rejected_settlement_leaves_the_call_on_the_desk(world):
    approval = make_settlement(world)

    answer = reject(world, "admin2", approval)

    approval.refresh_from_db()
    assert (status_of(answer), approval.status) == (OK, "rejected")
    assert event_types(approval.run)[-2:] == ["approval.voted", "approval.rejected"]
    assert call_of(approval).execution_status == "manual_handoff"
    assert status_of(settle(world, "admin", approval.tool_call, "completed"))[0] == 202


def test_nobody_confirms_what_they_said_themselves(world):
    call = make_handoff(world)
    settle(world, "admin2", call, "completed")
    approval = call.approvals.get(status="pending")

    with nothing_happens(approval, receipts=2):
        answers = [decide(world, "admin2", approval) for decide in (approve, reject)]

    assert [status_of(answer) for answer in answers] == [(403, "conflict_of_interest")] * 2
    assert refusal_of(answers[0]).extra == {"because": ["settlement_proposer"]}


def test_nobody_behind_the_run_confirms_a_settlement(world):
    """`admin` owns the agent and wrote the policy: whoever says so, it is not for them."""
    call = make_handoff(world)
    settle(world, "admin2", call, "completed")
    approval = call.approvals.get(status="pending")

    with nothing_happens(approval, receipts=1):
        answer = approve(world, "admin", approval)

    assert status_of(answer) == (403, "conflict_of_interest")


@pytest.mark.parametrize("name", ["reviewer", "senior", "support", "agent"])
def test_only_admins_decide_settlements(world, name):
    approval = make_settlement(world)

    with nothing_happens(approval, receipts=0):
        answers = [decide(world, name, approval) for decide in (approve, reject)]

    assert [status_of(answer) for answer in answers] == [(403, "not_authorized")] * 2


def test_an_admin_decides_nothing_but_settlements(world):
    approval = make_approval(world)

    with nothing_happens(approval, receipts=0):
        answer = approve(world, "admin2", approval)

    assert status_of(answer) == (403, "not_authorized")


def test_limits_have_no_say_in_what_has_happened(world):
    approval = make_settlement(world)
    Authority.objects.all().delete()

    assert status_of(approve(world, "admin2", approval)) == OK


def test_a_settlement_uses_nothing_up_of_anybodys_limit(world):
    """Of 1,000 an order, 400 went out once: 600 more may, whatever people said of the first."""
    run = make_run(world)
    call = make_handoff(world, run, minor=400_00)
    approve(world, "admin2", make_settlement(world, call))

    more = make_approval(world, run, minor=600_00)

    assert status_of(approve(world, "reviewer", more)) == OK


def test_the_answer_is_given_to_the_very_words_that_were_seen(world):
    approval = make_settlement(world)
    reject(world, "admin2", approval)
    another = make_settlement(world, approval.tool_call, reason="Now with the statement")

    with nothing_happens(another, receipts=1):
        answer = approve(world, "admin2", another, digest=approval.digest)

    assert status_of(answer) == (412, "stale")


def test_a_settlement_that_nobody_decides_expires_and_the_call_stays(world):
    approval = make_settlement(world)
    move_clock(approval, decide_by=A_SECOND_AGO)

    with nothing_happens(approval, receipts=1):
        late = approve(world, "admin2", approval)
    expire(approval.pk)

    approval.refresh_from_db()
    assert status_of(late) == (410, "expired")
    assert (approval.status, event_types(approval.run)[-1]) == ("expired", "approval.expired")
    assert call_of(approval).execution_status == "manual_handoff"


@pytest.mark.parametrize("name", ["admin", "admin2"])
def test_an_admin_cancels_the_question_and_the_call_stays(world, name):
    approval = make_settlement(world)

    answer = revoke(world, name, approval)

    approval.refresh_from_db()
    assert (status_of(answer), approval.status) == (OK, "cancelled")
    assert approval.settled_code == "question_cancelled"
    assert event_types(approval.run)[-1] == "approval.cancelled"
    assert call_of(approval).execution_status == "manual_handoff"


def test_a_reviewer_cancels_no_settlement(world):
    approval = make_settlement(world)

    with nothing_happens(approval, receipts=1):
        answer = revoke(world, "reviewer", approval)

    assert status_of(answer) == (403, "not_authorized")


def test_what_was_confirmed_is_not_taken_back(world):
    approval = make_settlement(world)
    approve(world, "admin2", approval)

    with nothing_happens(approval, receipts=1):
        answer = revoke(world, "admin2", approval)

    assert status_of(answer) == (409, "too_late")


@pytest.mark.parametrize("otherwise", ["late", "settled"])
def test_a_call_settled_otherwise_needs_no_answer(world, otherwise):
    approval = make_settlement(world)
    if otherwise == "late":
        find_late(approval.tool_call)
    else:
        settle(world, "admin2", approval.tool_call, "not_executed")

    with nothing_happens(approval, receipts=1):
        answer = approve(world, "admin2", approval)

    assert status_of(answer) == (409, "already_settled")
    assert refusal_of(answer).extra["status"] == "cancelled"


def test_the_same_answer_again_settles_nothing_twice(world):
    approval = make_settlement(world)
    approve(world, "admin2", approval, command_id="one")

    with nothing_happens(approval, receipts=0):
        again = approve(world, "admin2", approval, command_id="one")

    assert (again.replayed, status_of(again)) == (True, OK)


def test_a_stopped_run_does_not_take_the_question_with_it(world):
    approval = make_settlement(world)
    stop = RunCommand(command_id="stop", kind=RunCommandKind.STOP)
    command_run(world.actor("reviewer"), approval.run_id, stop)
    approval.run.refresh_from_db()

    assert approval.run.ended_as == "stopped"
    assert status_of(approve(world, "admin2", approval)) == OK
    assert call_of(approval).execution_status == "completed"
