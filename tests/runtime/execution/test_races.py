"""Many workers at once, round after round: the number of payouts is what counts."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier, Event

import pytest
from django.db import connection, transaction

from runtime.execution import advance
from runtime.models import Reservation
from runtime.reservations import lock_payment, reserve_for
from tests.runtime.execution.lab import (
    Lab,
    again,
    carry_out,
    closes,
    lapse,
    make_lab,
    spent,
    step,
    story,
)

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS = 6


@pytest.fixture
def lab(transactional_db, sandbox) -> Lab:
    return make_lab(sandbox)


def at_once(*works: Callable[[], object]) -> None:
    """Start them all at the same moment; the first error is raised here."""
    barrier = Barrier(len(works))

    def one(work: Callable[[], object]) -> None:
        try:
            barrier.wait(10)
            work()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(works)) as pool:
        for done in [pool.submit(one, work) for work in works]:
            done.result(30)


def test_many_workers_on_one_call_send_it_once(lab):
    for _ in range(ROUNDS):
        call = lab.call()

        at_once(*[partial(advance, call.pk)] * 4)

        assert carry_out(call).verification_status == "confirmed_success"
        assert len(lab.posts(call)) == 1
        assert closes(call) == [("answered", "answered")]


def test_many_workers_after_a_call_was_turned_away_send_one_more(lab):
    for _ in range(ROUNDS):
        call = lab.call()
        lab.fault("status", times=2, status=429)
        step(call)
        # Whoever reads first reads for long: all of them have come by then.
        lab.fault("delay", on="payment.read", seconds=0.7)

        at_once(*[partial(advance, call.pk)] * 4)

        # However many were woken: one more attempt, turned away as well.
        assert len(lab.posts(call)) == 2
        assert carry_out(call).verification_status == "confirmed_success"
        assert lab.control.payouts(call.intent) == 1


def test_many_workers_on_an_unknown_result_adopt_it_once(lab):
    for _ in range(ROUNDS):
        call = lab.call()
        lab.fault("drop_answer")
        step(call)

        at_once(*[partial(advance, call.pk)] * 4)

        call = carry_out(call)
        assert call.verification_status == "confirmed_success"
        assert story(call).count("tool.call.completed") == 1
        assert lab.control.payouts(call.intent) == 1


def test_many_workers_after_a_dropped_request_pay_once(lab):
    for _ in range(ROUNDS):
        call = lab.call()
        lab.fault("drop_request")
        step(call)

        at_once(*[partial(advance, call.pk)] * 4)

        call = carry_out(call)
        assert call.verification_status == "confirmed_success"
        assert {post["key"] for post in lab.posts(call)} == {call.wire_key}
        assert lab.control.payouts(call.intent) == 1


def test_of_two_runs_that_want_the_same_remainder_one_gets_it(lab):
    for _ in range(ROUNDS):
        payment = lab.payment(minor=1000)
        calls = [lab.call(payment, 600), lab.call(payment, 600)]

        at_once(*[partial(advance, call.pk) for call in calls])

        statuses = [again(call).execution_status for call in calls]
        assert sorted(statuses) == ["completed", "refused"]
        refused = calls[statuses.index("refused")]
        assert lab.posts(refused) == []
        assert not Reservation.objects.filter(tool_call=refused).exists()


def test_a_spending_waits_for_the_payment_s_lock_before_it_counts(lab):
    """Each alone would fit, and neither has left yet: only the payment's lock tells them apart."""
    payment = lab.payment(minor=1000)
    carry_out(lab.call(payment, 100))
    first, second = lab.call(payment, 600), lab.call(payment, 600)
    is_locked, may_reserve = Event(), Event()

    def reserve_slowly() -> None:
        with transaction.atomic():
            lock_payment(first)
            is_locked.set()
            may_reserve.wait(30)
            reserve_for(first)
        connection.close()

    with ThreadPoolExecutor(2) as pool:
        slow = pool.submit(reserve_slowly)
        is_locked.wait(30)
        quick = pool.submit(at_once, partial(advance, second.pk))
        with pytest.raises(TimeoutError):
            quick.result(1)
        may_reserve.set()
        slow.result(30)
        quick.result(30)

    assert again(second).error_code == "within_remainder"
    assert lab.posts(second) == []


def test_a_stop_races_a_dispatch_and_one_of_them_is_first(lab):
    for _ in range(ROUNDS):
        call = lab.call()

        at_once(partial(advance, call.pk), partial(lab.stop, call.run))

        call = carry_out(call)
        outcome = (call.execution_status, lab.control.payouts(call.intent))
        assert outcome in [("cancelled", 0), ("aborted", 0), ("completed", 1)]
        call.run.refresh_from_db()
        assert call.run.ended_as == "stopped"


def test_workers_that_take_over_at_once_open_one_attempt(lab):
    for _ in range(ROUNDS):
        call = lab.call()
        spent(call)
        lapse(call)

        at_once(*[partial(advance, call.pk)] * 4)

        assert closes(call) == [("never_sent", "lease_lost"), ("answered", "answered")]
        assert len(lab.posts(call)) == 1
