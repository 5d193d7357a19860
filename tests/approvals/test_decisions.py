from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from approvals.authority import Limit, Usage
from approvals.decisions import (
    BROWSER_ONLY,
    NOT_A_REVIEWER,
    Latest,
    Question,
    Voter,
    barred,
    closed,
    not_allowed,
)
from approvals.events import Conflict
from approvals.states import ApprovalStatus, Decision, Purpose, Role
from runtime.capabilities import Precondition

DEADLINE = datetime(2026, 5, 1, 12, tzinfo=UTC)
TICK = timedelta(microseconds=1)
ANN = UUID(int=1)
MINE = Conflict(person=ANN, because="initiator")
LIMIT = Limit(group="reviewers", limit_minor=1000, day_limit_minor=None)
DISPUTED = Precondition(name="not_disputed", ok=False, as_of=DEADLINE, detail="It is disputed.")
UNREAD = Precondition(name="payment_exists", ok=None, as_of=None, detail="Not read yet.")


def question(status=ApprovalStatus.PENDING, **changes):
    defaults: dict[str, Any] = {
        "purpose": Purpose.EFFECT,
        "revision": 1,
        "digest": "d",
        "amount_minor": 500,
        "decide_by": DEADLINE,
        "conflicts": (),
    }
    return Question(status=status, **(defaults | changes))


def voter(**changes):
    defaults: dict[str, Any] = {
        "hands": frozenset({ANN}),
        "groups": frozenset({"reviewers"}),
        "voted": frozenset(),
        "limits": (LIMIT,),
        "usage": Usage(),
    }
    return Voter(**(defaults | changes))


def code(refusal):
    return refusal and refusal.code


@pytest.mark.parametrize(
    ("now", "expected"),
    [(DEADLINE - TICK, None), (DEADLINE, "expired"), (DEADLINE + TICK, "expired")],
)
def test_a_question_is_open_until_its_deadline_and_not_at_it(now, expected):
    assert code(closed(question(), now)) == expected


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (ApprovalStatus.GRANTED, "already_settled"),
        (ApprovalStatus.REJECTED, "already_settled"),
        (ApprovalStatus.EXPIRED, "expired"),
        (ApprovalStatus.CANCELLED, "already_settled"),
        (ApprovalStatus.CONSUMED, "already_settled"),
        (ApprovalStatus.REVOKED, "already_settled"),
        (ApprovalStatus.INVALIDATED, "already_settled"),
    ],
)
def test_what_is_settled_stays_settled_after_its_deadline(status, expected):
    assert code(closed(question(status), DEADLINE + TICK)) == expected


def test_a_superseded_question_names_the_one_to_decide_even_after_its_deadline():
    latest = Latest(approval=UUID(int=7), revision=3, digest="e")

    refusal = closed(question(ApprovalStatus.SUPERSEDED, latest=latest), DEADLINE + TICK)

    assert refusal
    assert refusal.code == "superseded"
    assert refusal.extra == {
        "current": {"approval": str(UUID(int=7)), "revision": 3, "digest": "e"}
    }


FAULTS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("already_voted", {"voted": frozenset({Decision.APPROVE})}, {}),
    ("conflict_of_interest", {}, {"conflicts": (MINE,)}),
    ("no_limit_for_currency", {"groups": frozenset()}, {}),
    ("over_limit", {}, {"amount_minor": 1001}),
]


@pytest.mark.parametrize("first", range(len(FAULTS)))
def test_of_several_reasons_the_first_in_the_order_is_given(first):
    with_faults: dict[str, Any] = {}
    amiss: dict[str, Any] = {}
    for _, of_voter, of_question in reversed(FAULTS[first:]):
        with_faults |= of_voter
        amiss |= of_question

    refusal = barred(question(**amiss), voter(**with_faults), Decision.APPROVE, [DISPUTED])

    assert code(refusal) == FAULTS[first][0]


def test_a_fact_known_to_be_wrong_bars_an_approval_last_of_all():
    refusal = barred(question(), voter(), Decision.APPROVE, [UNREAD, DISPUTED])

    assert refusal
    assert refusal.code == "precondition_failed"
    assert refusal.extra == {
        "name": "not_disputed",
        "as_of": DEADLINE.isoformat(),
        "detail": "It is disputed.",
    }


def test_a_fact_that_could_not_be_read_bars_nobody():
    assert barred(question(), voter(), Decision.APPROVE, [UNREAD]) is None


def test_a_wrong_fact_does_not_stand_in_the_way_of_a_rejection():
    assert barred(question(), voter(), Decision.REJECT, [DISPUTED]) is None


def test_a_rejection_uses_nothing_up_but_must_be_within_the_limit():
    used_up = voter(usage=Usage(order_minor=1000, day_minor=1000))

    assert barred(question(), used_up, Decision.REJECT, []) is None
    assert code(barred(question(amount_minor=1001), voter(), Decision.REJECT, [])) == "over_limit"


def test_who_approved_may_still_reject():
    approved = voter(voted=frozenset({Decision.APPROVE}))

    assert barred(question(), approved, Decision.REJECT, []) is None


@pytest.mark.parametrize("role", [Role.SUPPORT, Role.ADMIN, Role.AGENT, None])
def test_only_reviewers_decide(role):
    assert not_allowed(role, "browser", None, Purpose.EFFECT) == NOT_A_REVIEWER


@pytest.mark.parametrize(
    ("surface", "required", "expected"),
    [
        ("api", None, None),
        ("browser", None, None),
        ("browser", "browser", None),
        ("api", "browser", BROWSER_ONLY),
    ],
)
def test_a_policy_may_demand_the_browser(surface, required, expected):
    assert not_allowed(Role.REVIEWER, surface, required, Purpose.EFFECT) == expected
