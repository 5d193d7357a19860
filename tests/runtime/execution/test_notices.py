"""A webhook is a reason to look; what was looked at decides."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection

from runtime import folding
from runtime.execution import looks, take_notice
from runtime.models import Attempt, Observation, ProviderAccount, Timer
from tests.runtime.execution.lab import (
    again,
    closes,
    hear,
    is_waiting,
    lapse,
    looking,
    make_lab,
    payloads,
    references,
    spent,
    step,
    story,
)


def looked(call, notice):
    take_notice(notice.pk)
    return again(call)


def set_profile(lab, profile):
    lab.control.profile(profile)
    ProviderAccount.objects.filter(pk=lab.account.pk).update(profile=profile)


def handed_off(lab):
    """A call whose refund was made, whose answer was lost, and that nobody could look up."""
    call = lab.call()
    lab.fault("drop_answer")
    set_profile(lab, "neither")
    call = step(call, times=2)
    assert call.execution_status == "manual_handoff"
    set_profile(lab, "key_and_lookup")
    return call


def sources(call, event_type):
    return [payload.source for payload in payloads(call, event_type)]


@pytest.fixture
def _no_grace(monkeypatch):
    monkeypatch.setattr(looks, "ANSWER_GRACE", timedelta(0))


def test_the_outcome_of_an_answered_call_is_confirmed_because_of_a_notice(lab):
    call = step(lab.call())
    notice = hear(call)

    call = looked(call, notice)

    assert (call.execution_status, call.verification_status) == ("completed", "confirmed_success")
    assert sources(call, "outcome.confirmed_success") == ["webhook"]
    assert not is_waiting(notice)


def test_what_the_notice_says_of_money_is_not_believed(lab):
    call = step(lab.call())

    call = looked(call, hear(call, status="failed", amount=1, type="refund.failed"))

    assert call.verification_status == "confirmed_success"


def test_several_notices_in_any_order_confirm_one_refund_once(lab):
    call = step(lab.call())
    notices = [hear(call, type=each) for each in ("refund.created", "refund.updated") * 2]

    for notice in reversed(notices):
        looked(call, notice)

    assert story(call).count("outcome.confirmed_success") == 1
    assert Timer.objects.filter(kind="notice.take").count() == 0


def test_a_notice_named_by_payment_alone_is_a_reason_to_look_as_well(lab):
    call = step(lab.call())

    call = looked(call, hear(call, type="charge.refunded", metadata={}))

    assert call.verification_status == "confirmed_success"


def test_whoever_waits_for_the_answer_speaks_first(lab):
    call = lab.call()
    worker = spent(call)
    worker.mark_sent()
    answer = worker.write()
    notice = hear(again(call))

    call = looked(call, notice)
    assert (call.execution_status, is_waiting(notice)) == ("dispatching", True)
    worker.record(answer)
    call = looked(call, notice)

    assert (call.execution_status, call.verification_status) == ("completed", "confirmed_success")
    assert closes(call) == [("answered", "answered")]


@pytest.mark.usefixtures("_no_grace")
def test_an_answer_that_does_not_come_is_found_because_of_a_notice(lab):
    call = lab.call()
    worker = spent(call)
    worker.mark_sent()
    answer = worker.write()

    call = looked(call, hear(again(call)))
    assert (call.execution_status, call.verification_status) == ("completed", "pending")
    assert sources(call, "outcome.pending") == ["webhook"]
    worker.record(answer)
    call = step(call)

    assert call.verification_status == "confirmed_success"
    assert story(call)[-4:] == [
        "tool.call.completed",
        "outcome.pending",
        "tool.attempt.answered_late",
        "outcome.confirmed_success",
    ]
    assert closes(call) == [("answered", "webhook")]
    assert lab.control.payouts(call.intent) == 1


def test_of_a_dead_worker_no_answer_is_waited_for(lab):
    call = lab.call()
    worker = spent(call)
    worker.mark_sent()
    worker.write()
    lapse(call)

    call = looked(call, hear(again(call)))

    assert (call.execution_status, call.was_unknown) == ("completed", False)


@pytest.mark.usefixtures("_no_grace")
def test_an_attempt_that_never_left_is_not_sent_after_an_earlier_one_was_found(lab):
    call = lab.call()
    worker = spent(call)
    refund = lab.control.refund_by_someone_else(call.target, 500, references(again(call)))

    call = looked(call, hear(again(call)))

    assert (call.execution_status, call.result_ref) == ("completed", refund["id"])
    assert closes(call) == [("never_sent", "webhook")]
    assert worker.mark_sent() is False
    assert lab.posts(call) == []


@pytest.mark.usefixtures("_no_grace")
def test_a_notice_about_somebody_elses_refund_does_not_answer_ours(lab):
    call = lab.call()
    worker = spent(call)
    lab.control.refund_by_someone_else(call.target, 500)
    notice = hear(again(call), metadata={})

    call = looked(call, notice)

    assert (call.execution_status, is_waiting(notice)) == ("dispatching", False)
    assert Attempt.objects.get(pk=worker.claim.attempt_id).status == "opened"


def test_a_lost_answer_is_looked_up_because_of_a_notice(lab):
    call = lab.call()
    lab.fault("drop_answer")
    call = step(call)
    assert call.execution_status == "result_unknown"

    call = looked(call, hear(call))

    assert (call.execution_status, call.verification_status) == ("completed", "pending")
    assert sources(call, "outcome.pending") == ["webhook"]
    assert "tool.call.reconciling" in story(call)


def test_a_late_notice_takes_a_call_off_peoples_desk(lab):
    call = handed_off(lab)

    call = looked(call, hear(call))

    assert call.execution_status == "completed"
    assert sources(call, "outcome.pending") == ["webhook"]


def test_a_payment_that_cannot_be_read_now_is_read_because_of_the_notice_later(lab):
    call = step(lab.call())
    lab.fault("status", on="payment.read", status=500)
    notice = hear(call)
    before = story(call)

    looked(call, notice)
    assert (story(call), is_waiting(notice)) == (before, True)

    assert looked(call, notice).verification_status == "confirmed_success"
    assert not is_waiting(notice)


def test_a_call_on_peoples_desk_waits_for_a_look_up_that_says_something(lab):
    call = handed_off(lab)
    lab.fault("status", on="payment.read", status=500)
    notice = hear(call)

    assert looked(call, notice).execution_status == "manual_handoff"
    assert is_waiting(notice)

    assert looked(call, notice).execution_status == "completed"
    assert not is_waiting(notice)


def test_a_notice_waits_while_somebody_else_looks_the_call_up(lab):
    call = lab.call()
    lab.fault("drop_answer")
    call = step(call)
    looking(call)
    notice = hear(call)

    looked(call, notice)

    assert is_waiting(notice)


def test_a_question_is_asked_about_the_payment_as_it_is_now(lab, told_gate):
    call = lab.call()
    looks.observe_call(call.pk)
    lab.control.refund_by_someone_else(call.target, 10_000)
    notice = hear(call, metadata={})

    looked(call, notice)

    contents = Observation.objects.filter(tool_call=call).order_by("as_of")
    assert ["re_" in each.content for each in contents] == [False, True]
    assert not is_waiting(notice)


def test_a_notice_that_names_nothing_of_ours_is_done_with(lab):
    call = step(lab.call())
    before = story(call)
    notice = hear(call, payment_intent="pi_another", metadata={})

    looked(call, notice)

    assert (is_waiting(notice), story(call)) == (False, before)


def test_an_account_speaks_of_its_own_workspaces_calls_only(lab, sandbox):
    call = step(lab.call())
    before = story(call)
    notice = hear(call, make_lab(sandbox).account)

    looked(call, notice)

    assert (is_waiting(notice), story(call)) == (False, before)


def test_what_was_looked_at_is_not_looked_at_again(lab):
    call = step(lab.call())
    notice = hear(call)
    looked(call, notice)
    reads = len(lab.control.journal())

    looked(call, notice)

    assert len(lab.control.journal()) == reads


def test_hearing_every_notice_again_under_another_id_changes_nothing(lab):
    calls = [step(lab.call()) for _ in range(2)]
    for call in calls:
        looked(call, hear(call))
    before = [(story(call), folding.rows(call.run_id)) for call in calls]

    for call in reversed(calls):
        looked(call, hear(call))

    assert [(story(call), folding.rows(call.run_id)) for call in calls] == before
    assert [folding.fold(call.run_id) for call in calls] == [rows for _, rows in before]


def test_the_stored_notice_never_changes(lab):
    notice = hear(step(lab.call()))

    with connection.cursor() as cursor, pytest.raises(Exception, match="append-only"):
        cursor.execute("UPDATE runtime_notice SET payment = '' WHERE id = %s", [notice.pk])


def test_that_a_notice_was_taken_is_said_once(lab):
    call = step(lab.call())
    notice = hear(call)
    looked(call, notice)

    with connection.cursor() as cursor, pytest.raises(Exception, match="given once"):
        cursor.execute("UPDATE runtime_notice SET taken_at = NULL WHERE id = %s", [notice.pk])
