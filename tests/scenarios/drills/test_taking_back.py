"""A grant can be taken back until it is spent; afterwards nothing pretends that it was."""

from __future__ import annotations

import time
from functools import partial

import pytest

from tests.scenarios.refunds import at_once, codes

HELD = 500_00


def test_d11_an_approver_takes_a_grant_back_inside_the_hold_and_nothing_is_paid(desk):
    refund = desk.granted(HELD)

    answer = refund.revoke("reviewer")

    assert answer.status_code == 200
    assert (refund.approval["status"], refund.now["execution_status"]) == ("revoked", "refused")
    time.sleep(1)
    assert (refund.payouts, refund.requests) == (0, [])


def test_inside_the_hold_only_the_approver_and_an_admin_take_a_grant_back(desk):
    refund = desk.granted(HELD)

    answers = [refund.revoke(by) for by in ("reviewer2", "senior", "support", "agent")]

    assert codes(answers) == [(403, "not_authorized")] * 4
    assert refund.approval["status"] == "granted"
    assert refund.revoke("admin").status_code == 200
    assert (refund.approval["status"], refund.payouts) == ("revoked", 0)


@pytest.mark.parametrize("by", ["reviewer", "admin"])
def test_d11_after_the_spending_it_is_too_late_and_says_so(desk, by):
    refund = desk.granted()
    refund.when_confirmed()

    answer = refund.revoke(by)

    assert codes([answer]) == [(409, "too_late")]
    assert answer.json()["consumed_at"]
    assert "approval.revoked" not in refund.events
    assert (refund.approval["status"], refund.payouts) == ("consumed", 1)


def test_an_admin_who_revokes_an_open_question_cancels_it(desk):
    refund = desk.refund()

    answer = refund.revoke("admin")

    assert answer.status_code == 200
    assert (refund.approval["status"], refund.now["execution_status"]) == ("cancelled", "cancelled")
    assert codes([refund.decide("reviewer")]) == [(409, "already_settled")]
    assert refund.payouts == 0


@pytest.mark.drill
@pytest.mark.parametrize("wait_s", [each / 40 for each in range(25)])
def test_d12_revoked_against_dispatch_ends_revoked_and_unpaid_or_consumed_and_paid(desk, wait_s):
    refunds = [desk.refund() for _ in range(4)]

    def approve_then_revoke(refund):
        refund.decide("reviewer")
        time.sleep(wait_s)
        return refund.revoke("admin")

    answers = at_once([partial(approve_then_revoke, refund) for refund in refunds])

    for refund, answer in zip(refunds, answers, strict=True):
        ended = refund.when_over()
        found = (refund.approval["status"], ended["execution_status"], refund.payouts)
        if answer.status_code == 200:
            assert found == ("revoked", "refused", 0)
        else:
            assert codes([answer]) == [(409, "too_late")]
            assert found == ("consumed", "completed", 1)
