"""Two workers on one call: the one whose lease is gone changes nothing any more."""

from __future__ import annotations

from itertools import count

from django.conf import settings

from runtime import leases
from runtime.execution import looking_up, recovery
from runtime.execution.reading import dispatched_to, read_payment
from runtime.models import Attempt
from runtime.providers.accounts import open_provider
from tests.runtime.execution.lab import (
    again,
    carry_out,
    closes,
    lapse,
    looking,
    payloads,
    spent,
    step,
    story,
)


def test_a_worker_that_died_before_marking_its_attempt_is_replaced(lab):
    call = lab.call()
    dead = spent(call)
    lapse(call)

    call = step(call)

    assert call.execution_status == "completed"
    assert closes(call) == [("never_sent", "lease_lost"), ("answered", "answered")]
    # One takeover to prepare the next attempt, one for the attempt.
    assert call.lease_token == dead.claim.token + 2
    assert lab.control.payouts(call.intent) == 1


def held_back(lab):
    """A call whose attempt was turned away: the next one waits for its time."""
    lab.fault("status", status=429)
    call = step(lab.call())
    assert (call.execution_status, closes(call)) == (
        "dispatching",
        [("throttled", "rate_limit")],
    )
    return call


def test_only_one_worker_prepares_the_next_attempt(lab):
    call = held_back(lab)

    tokens = [recovery.take_up(call.pk) for _ in range(2)]

    assert tokens == [call.lease_token + 1, None]


def test_whoever_read_for_longer_than_their_lease_opens_nothing(lab):
    call = held_back(lab)
    slow = recovery.take_up(call.pk)
    reading = read_payment(call, open_provider(dispatched_to(call)))
    lapse(call)
    quick = recovery.take_up(call.pk)
    assert slow is not None
    assert quick is not None
    before = story(call)

    assert recovery.open_next(call.pk, slow, reading) is None
    assert story(call) == before
    assert recovery.open_next(call.pk, quick, reading) is not None
    assert story(call) == [*before, "tool.attempt.opened"]


def test_a_worker_that_died_after_marking_its_attempt_leaves_an_unknown_result(lab):
    call = lab.call()
    spent(call).mark_sent()
    lapse(call)

    call = step(call)
    assert (call.execution_status, call.error_code) == ("result_unknown", "lease_lost")
    assert lab.posts(call) == []
    call = carry_out(call)

    assert call.verification_status == "confirmed_success"
    assert lab.control.payouts(call.intent) == 1


def test_a_living_lease_is_respected(lab):
    call = lab.call()
    worker = spent(call)
    before = story(call)

    call = step(call, times=3)

    assert story(call) == before
    worker.send()
    assert again(call).execution_status == "completed"


def test_a_worker_whose_lease_lapsed_before_it_marked_its_attempt_writes_nothing(lab):
    call = lab.call()
    late = spent(call)
    lapse(call)
    before = story(call)

    late.send()

    assert story(call) == before
    assert lab.posts(call) == []


def test_a_lease_that_would_not_outlast_the_provider_is_not_begun_with(lab, settings):
    call = lab.call()
    worker = spent(call)
    settings.PROVIDER_TIMEOUT_S = settings.ATTEMPT_LEASE_S

    assert not worker.mark_sent()
    assert Attempt.objects.get(tool_call=call).status == "opened"


def test_a_worker_that_was_taken_over_writes_nothing_but_that_it_answered_late(lab):
    call = lab.call()
    late = spent(call)
    late.mark_sent()
    lapse(call)
    call = carry_out(call)
    before, row = story(call), again(call)

    late.record(late.write())

    assert story(call) == [*before, "tool.attempt.answered_late"]
    (note,) = payloads(call, "tool.attempt.answered_late")
    assert (note.answer, note.result_ref) == ("completed", row.result_ref)
    assert [getattr(again(call), name) for name in COLUMNS] == [
        getattr(row, name) for name in COLUMNS
    ]
    assert lab.control.payouts(call.intent) == 1


def test_a_lapsed_lease_makes_an_answer_late_even_if_nobody_took_over(lab):
    call = lab.call()
    late = spent(call)
    late.mark_sent()
    answer = late.write()
    lapse(call)

    late.record(answer)

    assert again(call).execution_status == "dispatching"
    assert story(call)[-1] == "tool.attempt.answered_late"
    assert carry_out(call).verification_status == "confirmed_success"
    assert len(lab.posts(call)) == 1


def test_an_answer_is_late_while_a_successor_looks_it_up(lab):
    """There is a living lease on the call, and it is another's: only the token tells."""
    call = lab.call()
    late = spent(call)
    late.mark_sent()
    answer = late.write()
    lapse(call)
    step(call)
    look_up = looking(call)

    late.record(answer)

    call = again(call)
    assert (call.execution_status, call.lease_token) == ("reconciling", look_up.token)
    assert story(call)[-1] == "tool.attempt.answered_late"
    assert call.result_ref is None


def test_a_look_up_that_was_taken_over_writes_nothing(lab):
    call = lab.call()
    lab.fault("drop_answer")
    call = step(call)
    late = looking(call)
    lapse(call)
    newer = looking(call)
    provider = open_provider(dispatched_to(call))
    before = story(call)

    looking_up.conclude(late, read_payment(call, provider), provider.profile)
    assert story(call) == before

    looking_up.conclude(newer, read_payment(call, provider), provider.profile)
    assert again(call).execution_status == "completed"


def test_nobody_looks_up_what_somebody_is_looking_up(lab):
    call = lab.call()
    lab.fault("drop_answer")
    call = step(call)
    looking(call)

    assert looking_up.begin(call.pk) is None


COLUMNS = [
    "execution_status",
    "verification_status",
    "result_ref",
    "lease_token",
    "lease_until",
    "error_code",
]


def test_a_request_held_back_until_its_lease_is_spent_does_not_leave_any_more(lab, monkeypatch):
    call = lab.call()
    worker = spent(call)
    ticks = count(leases.ticks(), settings.ATTEMPT_LEASE_S)
    monkeypatch.setattr(leases, "ticks", lambda: next(ticks))

    worker.send()

    assert lab.control.journal(call.intent) == []
    assert story(call)[-1] == "tool.attempt.sent"
