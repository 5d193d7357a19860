"""D10: whoever or whatever changes between grant and dispatch stops it, with its own reason."""

from __future__ import annotations

import pytest

from tests.scenarios.drills.flights import check
from tests.scenarios.refunds import Desk, new
from tests.stack import running_stack

HELD = 500_00


@pytest.fixture(scope="module")
def own_desk():
    """A stack of its own: its people, limits and policies do not stay as they are."""
    with running_stack("--no-tickets") as stack:
        yield Desk(stack)
        assert check(Desk(stack)) == []


def deactivate(desk):
    desk.stack.api("admin").http.patch("/members/reviewer2", json={"active": False})


def lower_limit(desk):
    row = {"group": "seniors", "capability": "refund-payment", "currency": "USD"}
    limits = {"limit_minor": HELD - 1, "day_limit_minor": None}
    desk.stack.api("admin").http.put("/authority", json=row | limits)


def withdraw_policy(desk):
    body = {"command_id": new("command"), "version": 1, "reason": "It is reviewed"}
    desk.stack.api("admin").post("/policies/refunds/withdrawals", body)


# In this order: without a policy nothing can be granted any more.
CHANGES = [
    ("reviewer2", deactivate, "approver_left"),
    ("senior", lower_limit, "limit_lowered"),
    ("reviewer", withdraw_policy, "policy_withdrawn"),
]


@pytest.mark.parametrize(("by", "change", "code"), CHANGES)
def test_d10_a_grant_whose_ground_is_gone_is_not_spent(own_desk, by, change, code):
    refund = own_desk.refund(HELD)
    assert refund.decide(by).status_code == 200
    granted = refund.approval

    change(own_desk)

    refund.when(lambda call: call["execution_status"] != "authorized")
    settled = own_desk.stack.api("admin").get(f"/approvals/{granted['id']}")
    assert (settled["status"], settled["settled"]["how"]) == ("invalidated", code)
    assert "tool.call.authorization_lost" in refund.events
    assert (refund.payouts, refund.requests) == (0, [])
