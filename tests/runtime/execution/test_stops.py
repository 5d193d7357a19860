"""A stop request at every stage of a call: what has not left stays, what has is told."""

from __future__ import annotations

import pytest

from runtime.models import Reservation, Run
from tests.runtime.execution.lab import (
    again,
    carry_out,
    closes,
    payloads,
    references,
    resumed,
    spent,
    step,
    story,
)


def run_of(call) -> Run:
    return Run.objects.get(pk=call.run_id)


def is_released(call) -> bool:
    return Reservation.objects.get(tool_call=call).released_at is not None


def test_stopped_before_the_spending_it_is_cancelled_and_nothing_leaves(lab):
    call = lab.call()

    lab.stop(run_of(call))
    call = step(call)

    assert call.execution_status == "cancelled"
    assert run_of(call).ended_as == "stopped"
    assert lab.posts(call) == []


def test_stopped_after_the_spending_it_is_pulled_back(lab):
    call = lab.call()
    worker = spent(call)
    lab.stop(run_of(call))
    assert run_of(call).ended_as is None

    worker.send()

    call = again(call)
    assert (call.execution_status, call.error_code) == ("aborted", "run_stopped")
    assert closes(call) == [("never_sent", "run_stopped")]
    assert is_released(call)
    assert run_of(call).ended_as == "stopped"
    assert lab.posts(call) == []


def test_stopped_while_throttled_it_is_pulled_back(lab):
    call = lab.call()
    lab.fault("status", status=429)
    call = step(call)

    lab.stop(run_of(call))
    call = step(call)

    assert call.execution_status == "aborted"
    assert run_of(call).ended_as == "stopped"
    assert len(lab.posts(call)) == 1
    assert lab.control.payouts(call.intent) == 0


def test_stopped_while_the_request_is_out_a_throttling_answer_pulls_it_back(lab):
    call = lab.call()
    worker = spent(call)
    lab.fault("status", status=429)
    worker.mark_sent()
    lab.stop(run_of(call))

    worker.record(worker.write())

    assert again(call).execution_status == "aborted"
    assert run_of(call).ended_as == "stopped"


def test_stopped_while_the_request_is_out_its_answer_still_counts(lab):
    call = lab.call()
    worker = spent(call)
    worker.mark_sent()
    lab.stop(run_of(call))
    assert run_of(call).ended_as is None

    worker.record(worker.write())

    assert again(call).execution_status == "completed"
    assert "tool.call.found_irreversible" in story(call)
    assert run_of(call).ended_as == "stopped"
    assert carry_out(call).verification_status == "confirmed_success"


def test_stopped_with_its_result_unknown_a_success_is_adopted(lab):
    call = lab.call()
    lab.fault("drop_answer")
    call = step(call)
    lab.stop(run_of(call))
    assert run_of(call).ended_as is None

    call = carry_out(call)

    assert call.verification_status == "confirmed_success"
    assert run_of(call).ended_as == "stopped"
    assert len(lab.posts(call)) == 1


def test_stopped_with_its_result_unknown_it_is_never_sent_again(lab):
    call = lab.call()
    lab.fault("drop_request")
    call = step(call)
    lab.stop(run_of(call))

    call = carry_out(call)

    assert (call.execution_status, call.error_code) == ("manual_handoff", "run_stopped")
    assert run_of(call).ended_as == "stopped"
    assert len(lab.posts(call)) == 1


def test_stopped_before_a_second_try_it_is_not_aborted_but_looked_up(lab):
    """The first try may still land, so "never executed" would be a guess."""
    call = lab.call()
    lab.fault("drop_request")
    call = step(call)
    worker = resumed(call)
    lab.stop(run_of(call))

    worker.send()

    call = again(call)
    assert (call.execution_status, call.error_code) == ("result_unknown", "run_stopped")
    assert not is_released(call)
    assert len(lab.posts(call)) == 1


@pytest.mark.parametrize("dispute", [True, False])
def test_changed_facts_before_the_next_try_abort_a_call_that_never_counted(lab, dispute):
    payment = lab.payment(minor=500)
    call = lab.call(payment, 500)
    lab.fault("status", status=429)
    call = step(call)
    if dispute:
        lab.control.dispute(payment)
    else:
        lab.control.refund_by_someone_else(payment, 1)

    call = step(call)

    code = "not_disputed" if dispute else "within_remainder"
    assert (call.execution_status, call.error_code) == ("aborted", code)
    assert is_released(call)
    assert len(payloads(call, "payment.observed")) == 2
    assert lab.control.payouts(call.intent) == 0


def test_a_request_the_provider_shows_already_is_not_sent_again(lab):
    payment = lab.payment()
    call = lab.call(payment)
    lab.fault("status", status=429)
    call = step(call)
    ours = lab.control.refund_by_someone_else(payment, call.amount_minor, references(call))

    call = carry_out(call)

    assert (call.execution_status, call.result_ref) == ("completed", ours["id"])
    assert len(lab.posts(call)) == 1
