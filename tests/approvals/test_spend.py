from __future__ import annotations

import time
from datetime import timedelta

from django.db import transaction

from approvals.gate import NO_GRANT, _spend
from approvals.models import Approval, Consumption
from runtime.gates import Changed, Spent, Waiting, gate
from tests.approvals.nothing import nothing_happens
from tests.factories import (
    event_types,
    locked_run,
    make_approval,
    make_call,
    make_good_grant,
    move_clock,
    new_policy,
    observe,
    spend,
)
from tests.folded import altered_on_purpose


def test_a_good_grant_is_spent_once(world):
    approval = make_good_grant(world)
    call = approval.tool_call

    verdict = spend(call)

    approval.refresh_from_db()
    assert verdict == Spent(approval_id=approval.pk)
    assert approval.status == "consumed"
    assert Consumption.objects.get().approval == approval
    assert event_types(approval.run)[-1] == "approval.consumed"
    with nothing_happens(approval, receipts=0):
        assert isinstance(spend(call), Changed)
    assert Consumption.objects.count() == 1


def test_a_grant_by_a_rule_is_spent_like_any_other(world):
    new_policy(world, automatic={"USD": 1000})
    call = make_call(world)
    observe(call)

    assert isinstance(spend(call), Spent)


def test_a_pending_question_is_not_spent(world):
    approval = make_approval(world)
    observe(approval.tool_call)

    with nothing_happens(approval, receipts=0):
        verdict = spend(approval.tool_call)

    assert verdict == Changed(code="no_grant", detail="There is no grant to spend.")


def test_a_held_grant_waits_for_the_end_of_its_hold(world):
    approval = make_good_grant(world, minor=500_00)

    with nothing_happens(approval, receipts=0):
        verdict = spend(approval.tool_call)

    assert isinstance(verdict, Waiting)
    assert (verdict.code, verdict.until) == ("hold", approval.hold_until)
    move_clock(approval, hold_until=timedelta())
    assert isinstance(spend(approval.tool_call), Spent)


def test_a_grant_that_ran_out_is_not_spent(world):
    approval = make_good_grant(world)
    move_clock(approval, use_by=timedelta())

    verdict = spend(approval.tool_call)

    approval.refresh_from_db()
    assert verdict == Changed(code="expired", detail="The grant was not used in time.")
    assert (approval.status, approval.settled_code) == ("expired", "use_by")
    assert not Consumption.objects.exists()


def test_a_grant_that_runs_out_while_it_is_checked_is_not_spent(world):
    approval = make_good_grant(world)
    with transaction.atomic(durable=True):
        locked = locked_run(approval.tool_call)
        move_clock(approval, use_by=timedelta(milliseconds=50))
        time.sleep(0.1)
        verdict = gate().spend(locked, approval.tool_call)

    approval.refresh_from_db()
    assert verdict == Changed(code="expired", detail="The grant was not used in time.")
    assert approval.status == "expired"


def test_a_grant_somebody_else_settled_meanwhile_is_not_spent(world):
    """The guard of the UPDATE itself, behind every lock: a stale row in hand spends nothing."""
    approval = make_good_grant(world)
    in_hand = Approval.objects.get(pk=approval.pk)
    altered_on_purpose.add(approval.run_id)
    Approval.objects.filter(pk=approval.pk).update(status="revoked")

    with transaction.atomic():
        verdict = _spend(locked_run(approval.tool_call), in_hand)

    in_hand.refresh_from_db()
    assert verdict == NO_GRANT
    assert in_hand.status == "revoked"
    assert not Consumption.objects.exists()
