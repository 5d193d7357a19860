from __future__ import annotations

from datetime import timedelta

import pytest

from approvals.models import Approval, Consumption
from approvals.states import ApprovalStatus
from runtime.models import Timer, ToolCall
from runtime.texts import read_texts
from tests.approvals.nothing import nothing_happens
from tests.factories import (
    approve,
    event_types,
    make_approval,
    make_grant,
    make_world,
    move_clock,
    new_policy,
    observe,
    receipt_of,
    refusal_of,
    reject,
    revoke,
    spend,
    status_of,
)

OK = (200, "ok")
HELD = 500_00
A_SECOND_AGO = timedelta(seconds=-1)


def spent(world) -> Approval:
    approval = make_grant(world)
    observe(approval.tool_call)
    spend(approval.tool_call)
    return approval


def test_an_admin_revokes_a_grant_and_nothing_leaves(world):
    approval = make_grant(world)

    answer = revoke(world, "admin", approval)

    approval.refresh_from_db()
    assert status_of(answer) == OK
    assert approval.status == "revoked"
    assert ToolCall.objects.get().execution_status == "refused"
    assert event_types(approval.run)[-2:] == ["approval.revoked", "tool.call.refused"]
    assert not Timer.objects.filter(subject=approval.pk).exists()


def test_the_reason_is_kept_apart_from_the_log(world):
    approval = make_grant(world)

    answer = revoke(world, "admin", approval, reason="Wrong Ms Ōta")

    note = receipt_of(answer).note
    assert read_texts([note]) == {note: "Wrong Ms Ōta"}
    assert not approval.run.events.filter(body__contains="Ōta").exists()


def test_whoever_approved_takes_it_back_while_it_is_held(world):
    approval = make_grant(world, minor=HELD)

    answer = revoke(world, "reviewer", approval)

    approval.refresh_from_db()
    assert status_of(answer) == OK
    assert approval.status == "revoked"


def test_each_of_two_approvers_may_take_a_held_grant_back(world):
    new_policy(world, needs=2)
    approval = make_approval(world, minor=HELD)
    approve(world, "reviewer", approval)
    approve(world, "senior", approval)

    assert status_of(revoke(world, "reviewer", approval)) == OK


@pytest.mark.parametrize("name", ["support", "agent"])
def test_some_roles_revoke_nothing(world, name):
    approval = make_grant(world, minor=HELD)

    with nothing_happens(approval, receipts=0):
        answer = revoke(world, name, approval)

    assert status_of(answer) == (403, "not_authorized")


def test_another_reviewer_does_not_take_it_back(world):
    approval = make_grant(world, minor=HELD)

    with nothing_happens(approval, receipts=1):
        answer = revoke(world, "senior", approval)

    assert status_of(answer) == (403, "not_authorized")


def test_after_the_hold_only_an_admin_takes_it_back(world):
    approval = make_grant(world, minor=HELD)
    move_clock(approval, hold_until=A_SECOND_AGO)

    with nothing_happens(approval, receipts=1):
        answer = revoke(world, "reviewer", approval)

    assert status_of(answer) == (403, "not_authorized")
    assert refusal_of(answer).detail.startswith("The hold is over")
    assert status_of(revoke(world, "admin", approval)) == OK


def test_without_a_hold_there_is_no_time_to_take_it_back(world):
    approval = make_grant(world, minor=HELD - 1)

    with nothing_happens(approval, receipts=1):
        answer = revoke(world, "reviewer", approval)

    assert status_of(answer) == (403, "not_authorized")


def test_after_the_spending_it_is_too_late_even_for_an_admin(world):
    approval = spent(world)

    with nothing_happens(approval, receipts=1):
        answer = revoke(world, "admin", approval)

    consumed_at = Consumption.objects.get().consumed_at
    assert status_of(answer) == (409, "too_late")
    assert refusal_of(answer).extra == {"consumed_at": consumed_at.isoformat()}


def test_an_admin_cancels_a_question_that_is_still_open(world):
    approval = make_approval(world)

    answer = revoke(world, "admin", approval)

    approval.refresh_from_db()
    assert status_of(answer) == OK
    assert (approval.status, approval.settled_code) == ("cancelled", "question_cancelled")
    assert approval.settled_by == f"person:{world.people['admin'].pk}"
    assert ToolCall.objects.get().execution_status == "cancelled"
    assert event_types(approval.run)[-2:] == ["approval.cancelled", "tool.call.cancelled"]


def test_a_reviewer_does_not_cancel_a_question(world):
    approval = make_approval(world)

    with nothing_happens(approval, receipts=1):
        answer = revoke(world, "reviewer", approval)

    assert status_of(answer) == (403, "not_authorized")


@pytest.mark.parametrize("name", ["admin", "reviewer"])
def test_what_is_settled_is_not_revoked(world, name):
    approval = make_approval(world)
    reject(world, "reviewer2", approval)

    with nothing_happens(approval, receipts=1):
        answer = revoke(world, name, approval)

    assert status_of(answer) == (409, "already_settled")
    assert refusal_of(answer).extra["status"] == ApprovalStatus.REJECTED
    assert refusal_of(answer).extra["by"] == world.actor("reviewer2").name


def test_the_same_revocation_again_gets_the_same_answer(world):
    approval = make_grant(world)
    revoke(world, "admin", approval, command_id="one")

    with nothing_happens(approval, receipts=0):
        again = revoke(world, "admin", approval, command_id="one")

    assert again.replayed
    assert status_of(again) == OK


def test_a_decision_and_a_revocation_do_not_share_a_command_id(world):
    approval = make_grant(world, minor=HELD, by="senior")
    other = make_approval(world)
    approve(world, "senior", other, command_id="one")

    with nothing_happens(approval, receipts=0):
        answer = revoke(world, "senior", approval, command_id="one")

    assert status_of(answer) == (422, "idempotency_mismatch")


def test_a_grant_of_another_workspace_does_not_exist(world):
    approval = make_grant(world)
    elsewhere = make_world("elsewhere")

    with nothing_happens(approval, receipts=0), pytest.raises(Approval.DoesNotExist):
        revoke(elsewhere, "admin", approval)
