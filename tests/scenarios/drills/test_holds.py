"""A hold is time to change one's mind, and the world is looked at again when it is over."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

HELD = 500_00


@pytest.fixture(scope="module")
def held(desk):
    """Three grants whose holds run at the same time, and what happens meanwhile."""
    held = SimpleNamespace(
        plain=desk.granted(HELD),
        disputed=desk.granted(HELD),
        refunded=desk.granted(HELD, payment=desk.payment(HELD)),
    )
    desk.stack.sandbox.dispute(held.disputed.payment)
    desk.stack.sandbox.refund_by_someone_else(held.refunded.payment, 1)
    return held


def test_a_held_refund_leaves_when_its_hold_is_over_and_not_before(held):
    over = datetime.fromisoformat(held.plain.approval["hold_until"])
    time.sleep(max(0, (over - datetime.now(UTC)).total_seconds() - 1))
    early = held.plain.payouts

    held.plain.when_confirmed()

    (paid,) = held.plain.requests
    assert datetime.fromisoformat(paid["at"]) > over
    assert (early, held.plain.payouts) == (0, 1)


def test_d10_a_dispute_opened_between_grant_and_dispatch_stops_the_refund(held):
    ended = held.disputed.when_over()

    assert ended["execution_status"] == "refused"
    assert ended["last_error"].startswith("not_disputed")
    assert held.disputed.approval["status"] == "invalidated"
    assert (held.disputed.payouts, held.disputed.requests) == (0, [])


def test_d10_an_order_refunded_elsewhere_between_grant_and_dispatch_stops_the_refund(held):
    ended = held.refunded.when_over()

    assert ended["execution_status"] == "refused"
    assert ended["last_error"].startswith("within_remainder")
    assert held.refunded.approval["status"] == "invalidated"
    assert (held.refunded.payouts, held.refunded.requests) == (0, [])
