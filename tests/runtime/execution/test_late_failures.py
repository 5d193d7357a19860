"""A refund that succeeded may fail days later: somebody owns that, and nothing is sent again."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.conf import settings
from django.db import IntegrityError, transaction

from runtime import events as e
from runtime import folding
from runtime.event_log import database_now
from runtime.execution import advance, observe_call, take_notice, verification
from runtime.execution.locking import lock_call
from runtime.execution.reading import Reading, dispatched_to, read_payment
from runtime.models import Case, Reservation, Timer
from runtime.outcomes import record_outcome
from runtime.providers.accounts import open_provider
from runtime.settlements import settle_by_people
from runtime.states import SettledAs
from runtime.texts import keeping
from tests.runtime.execution.lab import (
    again,
    carry_out,
    hear,
    is_at_rest,
    payloads,
    step,
    story,
)
from tests.runtime.execution.test_notices import handed_off


@pytest.fixture
def paid(lab):
    """A call whose refund was seen to have succeeded."""
    return carry_out(lab.call())


def by_notice(call):
    take_notice(hear(call, type="refund.failed").pk)


WAYS = {
    "webhook": by_notice,
    "timer": lambda call: advance(call.pk),
    "page": lambda call: observe_call(call.pk),
}


def due_in(call) -> timedelta:
    return Timer.objects.get(subject=call.pk).due_at - database_now()


def see(call, seen):
    """An admin says what they saw."""
    with transaction.atomic():
        locked, call = lock_call(call.pk)
        record_outcome(locked, call, seen(source="person", result_ref=call.result_ref, detail=""))


@pytest.mark.parametrize("way", WAYS)
def test_however_it_is_found_out_it_is_a_case_for_the_admins_and_nothing_is_sent(lab, paid, way):
    lab.control.move_refund(paid.result_ref, "failed", "expired_or_canceled_card")

    WAYS[way](paid)

    call = again(paid)
    assert (call.execution_status, call.verification_status) == ("completed", "confirmed_failure")
    assert story(call)[-2:] == ["outcome.confirmed_failure", "case.opened"]
    case = Case.objects.get()
    assert (case.tool_call_id, case.kind, case.owner, case.closed_at) == (
        call.pk,
        "failed_after_success",
        "admin",
        None,
    )
    opened = e.CaseOpened(case=case.pk, kind="failed_after_success", owner="admin")
    assert payloads(call, "case.opened") == [opened]
    assert Reservation.objects.get(tool_call=call).released_at is not None
    assert len(lab.posts(call)) == 1
    assert not Timer.objects.filter(subject=call.pk).exists()
    assert folding.fold(call.run_id) == folding.rows(call.run_id)


def test_found_out_in_every_way_it_is_one_case(lab, paid):
    lab.control.move_refund(paid.result_ref, "failed")

    for way in [*WAYS.values()] * 2:
        way(paid)

    assert story(paid).count("outcome.confirmed_failure") == 1
    assert Case.objects.count() == 1


def test_a_refund_that_was_never_confirmed_fails_without_a_case(lab):
    call = step(lab.call())
    lab.control.move_refund(call.result_ref, "failed")

    by_notice(call)

    assert again(call).verification_status == "confirmed_failure"
    assert Case.objects.count() == 0


def test_the_case_closes_when_the_provider_shows_a_success_again(lab, paid):
    lab.control.move_refund(paid.result_ref, "failed")
    by_notice(paid)
    lab.control.move_refund(paid.result_ref, "succeeded")

    by_notice(paid)

    assert again(paid).verification_status == "confirmed_success"
    assert story(paid)[-2:] == ["outcome.confirmed_success", "case.closed"]
    assert Case.objects.get().closed_at is not None
    assert folding.fold(paid.run_id) == folding.rows(paid.run_id)


def test_the_case_closes_when_an_admin_sees_the_money_after_all(lab, paid):
    lab.control.move_refund(paid.result_ref, "failed")
    by_notice(paid)

    see(paid, e.OutcomeConfirmedSuccess)

    assert Case.objects.get().closed_at is not None


def test_a_person_who_sees_it_fail_opens_a_case_as_well(paid):
    see(paid, e.OutcomeConfirmedFailure)

    assert Case.objects.get().kind == "failed_after_success"


def test_what_a_person_saw_stands_until_the_providers_own_word_changes(lab, paid):
    see(paid, e.OutcomeConfirmedFailure)

    for way in WAYS.values():
        way(paid)
    assert again(paid).verification_status == "confirmed_failure"
    lab.control.move_refund(paid.result_ref, "pending")
    by_notice(paid)
    lab.control.move_refund(paid.result_ref, "succeeded")
    by_notice(paid)

    assert again(paid).verification_status == "confirmed_success"


def test_a_read_from_before_the_last_one_says_nothing(lab, paid):
    old = read_payment(paid, open_provider(dispatched_to(paid)))
    assert isinstance(old, Reading)
    lab.control.move_refund(paid.result_ref, "failed")
    by_notice(paid)
    before = story(paid)

    verification.verify(paid.pk, old)

    assert story(paid) == before
    assert again(paid).verification_status == "confirmed_failure"


def test_a_success_is_looked_at_again_ever_more_rarely(paid):
    first = timedelta(seconds=settings.FIRST_RECHECK_S)
    assert timedelta(0) < first - due_in(paid) < timedelta(seconds=10)

    advance(paid.pk)

    assert is_at_rest(paid)
    assert due_in(paid) <= first


def test_the_pause_before_the_next_look_is_as_long_as_it_stands_already(paid, settings):
    settings.FIRST_RECHECK_S = 0
    confirmed = paid.run.events.get(event_type="outcome.confirmed_success").occurred_at

    advance(paid.pk)

    age = database_now() - confirmed
    assert timedelta(0) < due_in(paid) <= age


def test_after_a_month_nobody_looks_any_more(paid, monkeypatch):
    monkeypatch.setattr(verification, "WATCHED_FOR", timedelta(0))

    advance(paid.pk)

    assert not Timer.objects.filter(subject=paid.pk).exists()


def settled_as_not_executed(call):
    with transaction.atomic():
        locked, call = lock_call(call.pk)
        with keeping(call.workspace_id, "person:1") as kept:
            reason = kept.keep("It is not in the dashboard")
        settled = e.ToolCallSettled(
            outcome=SettledAs.NOT_EXECUTED,
            by="person:1",
            confirmed_by=None,
            approval=None,
            result_ref=None,
            reason=reason,
            evidence=(),
        )
        settle_by_people(locked, call, settled)
    return again(call)


def test_an_effect_of_what_people_settled_as_not_executed_is_a_case_too(lab):
    call = settled_as_not_executed(handed_off(lab))

    by_notice(call)

    call = again(call)
    assert (call.execution_status, call.verification_status) == ("failed", "not_observed")
    assert Case.objects.get().kind == "effect_after_failure"
    by_notice(call)
    assert story(call).count("case.opened") == 1


def test_that_case_closes_when_the_effect_is_undone(lab):
    call = settled_as_not_executed(handed_off(lab))
    by_notice(call)
    (refund,) = lab.wire(f"/v1/refunds?payment_intent={call.target}")["data"]
    lab.control.move_refund(refund["id"], "canceled")

    by_notice(call)

    assert Case.objects.get().closed_at is not None


def test_the_database_keeps_a_call_to_one_open_case(lab, paid):
    lab.control.move_refund(paid.result_ref, "failed")
    by_notice(paid)
    case = Case.objects.get()
    case.pk = None
    case.pk = type(case)().pk

    with pytest.raises(IntegrityError, match="one_open_case_per_call"), transaction.atomic():
        case.save(force_insert=True)
