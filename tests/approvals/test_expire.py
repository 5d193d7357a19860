from __future__ import annotations

from datetime import timedelta

import pytest

from approvals.handlers import expire
from runtime.models import Timer, ToolCall
from runtime.sweeps import sweep
from runtime.timers import handlers
from tests.approvals.nothing import nothing_happens
from tests.factories import (
    approve,
    event_types,
    make_approval,
    make_grant,
    move_clock,
    observe,
    reject,
    revoke,
    spend,
    status_of,
)

A_SECOND = timedelta(seconds=1)
NOW = timedelta()


def test_the_timer_knows_whom_to_wake():
    assert handlers["approval.expire"] is expire


@pytest.mark.parametrize("late", [NOW, A_SECOND])
def test_a_question_nobody_answered_in_time_ends_in_a_no(world, late):
    approval = make_approval(world)
    move_clock(approval, decide_by=-late)

    expire(approval.pk)

    approval.refresh_from_db()
    assert (approval.status, approval.settled_by) == ("expired", "system")
    assert ToolCall.objects.get().execution_status == "refused"
    assert event_types(approval.run)[-2:] == ["approval.expired", "tool.call.refused"]
    assert not Timer.objects.exists()


@pytest.mark.parametrize("late", [NOW, A_SECOND])
def test_a_grant_nobody_used_in_time_ends_in_a_no(world, late):
    approval = make_grant(world)
    move_clock(approval, use_by=-late)

    expire(approval.pk)

    approval.refresh_from_db()
    assert (approval.status, approval.settled_code) == ("expired", "use_by")
    assert ToolCall.objects.get().execution_status == "refused"


@pytest.mark.parametrize("make", [make_approval, make_grant])
def test_a_timer_that_fires_early_is_set_again(world, make):
    approval = make(world)
    Timer.objects.filter(subject=approval.pk).update(fired=3)
    due_at = approval.use_by or approval.decide_by

    expire(approval.pk)

    timer = Timer.objects.get(subject=approval.pk)
    assert (timer.due_at, timer.fired) == (due_at, 0)
    approval.refresh_from_db()
    assert approval.status in {"pending", "granted"}


@pytest.mark.parametrize("settle", [reject, revoke])
def test_a_timer_of_a_settled_approval_does_nothing(world, settle):
    approval = make_approval(world)
    settle(world, "admin" if settle is revoke else "reviewer", approval)
    move_clock(approval, decide_by=-A_SECOND)

    with nothing_happens(approval, receipts=0):
        expire(approval.pk)


def test_a_spent_grant_does_not_expire(world):
    approval = make_grant(world)
    observe(approval.tool_call)
    spend(approval.tool_call)
    move_clock(approval, use_by=-A_SECOND)

    with nothing_happens(approval, receipts=0):
        expire(approval.pk)


@pytest.mark.parametrize("is_swept", [True, False])
@pytest.mark.parametrize(
    ("left", "expected"),
    [(A_SECOND, (200, "ok")), (NOW, (410, "expired")), (-A_SECOND, (410, "expired"))],
)
def test_around_the_deadline_the_clock_decides_with_the_sweeper_on_and_off(
    world, left, expected, is_swept
):
    approval = make_approval(world)
    move_clock(approval, decide_by=left)
    if is_swept:
        expire(approval.pk)

    answer = approve(world, "reviewer", approval)

    assert status_of(answer) == expected


@pytest.mark.parametrize(("make", "clock"), [(make_approval, "decide_by"), (make_grant, "use_by")])
def test_an_approval_runs_out_without_its_timer(world, make, clock):
    approval = make(world)
    move_clock(approval, **{clock: -A_SECOND})
    Timer.objects.all().delete()

    sweep()
    timer = Timer.objects.get(kind="approval.expire")
    handlers[timer.kind](timer.subject)

    approval.refresh_from_db()
    assert (timer.subject, approval.status) == (approval.pk, "expired")


def test_an_approval_that_is_settled_gets_no_timer(world):
    approval = make_approval(world)
    reject(world, "reviewer", approval)
    Timer.objects.all().delete()

    sweep()

    assert not Timer.objects.exists()
