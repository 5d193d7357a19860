"""Whatever waits for a worker is found without a timer: here all are lost at every step."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import transaction
from django.db.models import F

from runtime import claimable, timers  # noqa: F401 - what may be claimed registers itself
from runtime.calls import ADVANCE, OBSERVE, TAKE_NOTICE
from runtime.event_log import database_now
from runtime.execution import advance, observe_call, take_notice
from runtime.execution.verification import WATCHED_FOR
from runtime.gates import NeedsPerson
from runtime.ids import new_id
from runtime.models import Case, Notice, Observation, Sweep, Timer, ToolCall
from runtime.sweeps import sweep
from tests.folded import altered_on_purpose
from tests.runtime.execution.lab import Lab, again, carry_out, hear, lapse, looking, spent, step
from tests.runtime.execution.test_notices import handed_off
from tests.runtime.execution.test_verification import accepted

TASKS = {ADVANCE: advance, OBSERVE: observe_call, TAKE_NOTICE: take_notice}


def lose_timers() -> None:
    Timer.objects.all().delete()
    # The next sweep is always due.
    Sweep.objects.all().delete()


def relay_once() -> list[str]:
    """What a relay and its workers do when all timers are gone; the kinds that fired."""
    lose_timers()
    sweep()
    with transaction.atomic():
        due = timers.take_due(database_now())
    for timer in due:
        TASKS[timer.kind](timer.subject)
    return [timer.kind for timer in due]


def relay_until(done: Callable[[], bool], *, within_s=20.0) -> None:
    deadline = time.monotonic() + within_s
    while not done():
        assert time.monotonic() < deadline
        relay_once()
        time.sleep(0.02)


def authorized(lab: Lab) -> ToolCall:
    return lab.call()


def opened_by_the_dead(lab: Lab) -> ToolCall:
    call = lab.call()
    spent(call)
    lapse(call)
    return call


def sent_by_the_dead(lab: Lab) -> ToolCall:
    call = lab.call()
    spent(call).mark_sent()
    lapse(call)
    return call


def throttled(lab: Lab) -> ToolCall:
    lab.fault("status", status=429)
    return step(lab.call())


def unknown(lab: Lab) -> ToolCall:
    lab.fault("drop_answer")
    return step(lab.call())


def looked_up_by_the_dead(lab: Lab) -> ToolCall:
    call = unknown(lab)
    looking(call)
    lapse(call)
    return call


def taken_in(lab: Lab) -> ToolCall:
    call: ToolCall = accepted(lab)
    lab.control.move_refund(call.result_ref or "", "succeeded")
    return call


def answered(lab: Lab) -> ToolCall:
    return step(lab.call())


@pytest.mark.parametrize(
    ("make", "status"),
    [
        (authorized, "authorized"),
        (opened_by_the_dead, "dispatching"),
        (sent_by_the_dead, "dispatching"),
        (throttled, "dispatching"),
        (unknown, "result_unknown"),
        (looked_up_by_the_dead, "reconciling"),
        (taken_in, "accepted"),
        (answered, "completed"),
    ],
)
def test_a_call_under_way_gets_to_its_end_without_any_timer(lab, make, status):
    call = make(lab)
    assert again(call).execution_status == status

    relay_until(lambda: again(call).verification_status == "confirmed_success")

    assert lab.control.payouts(call.intent) == 1


def test_a_confirmed_refund_is_read_again_without_its_timer(lab):
    call = carry_out(lab.call())
    lab.control.move_refund(call.result_ref, "failed")

    relay_until(lambda: again(call).verification_status == "confirmed_failure")

    assert Case.objects.get().kind == "failed_after_success"


def test_a_refund_confirmed_a_month_ago_is_left_alone(lab):
    call = carry_out(lab.call())
    altered_on_purpose.add(call.run_id)
    ToolCall.objects.filter(pk=call.pk).update(confirmed_at=F("confirmed_at") - WATCHED_FOR)

    assert relay_once() == []


def test_a_notice_is_taken_without_its_timer_and_only_once(lab):
    call = step(lab.call())
    notice = hear(call)

    relay_until(lambda: Notice.objects.get(pk=notice.pk).taken_at is not None)

    assert again(call).verification_status == "confirmed_success"
    assert TAKE_NOTICE not in relay_once()


def test_a_proposal_whose_first_look_was_lost_is_looked_at(lab, told_gate):
    told_gate.admissions.append(NeedsPerson(approval_id=new_id()))
    call = lab.call()
    assert relay_once() == []
    altered_on_purpose.add(call.run_id)
    ToolCall.objects.update(proposed_at=F("proposed_at") - timedelta(seconds=2))

    relay_until(lambda: Observation.objects.filter(tool_call=call).exists())

    assert relay_once() == []
    assert not Timer.objects.exists()


def test_a_proposal_without_an_account_to_look_at_is_left_alone(lab, told_gate):
    told_gate.admissions.append(NeedsPerson(approval_id=new_id()))
    call = lab.call()
    lab.account.delete()
    altered_on_purpose.add(call.run_id)
    ToolCall.objects.update(proposed_at=F("proposed_at") - timedelta(seconds=2))

    assert relay_once() == []


def test_a_call_on_peoples_desk_waits_for_people_only(lab):
    handed_off(lab)

    assert relay_once() == []


def test_a_call_that_ended_without_effect_is_left_alone(lab):
    call = lab.call()
    lab.stop(call.run)

    assert again(call).execution_status == "cancelled"
    assert relay_once() == []
