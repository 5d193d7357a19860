from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from approvals import events as e
from approvals.reducers import ApprovalState, reduce_approval
from approvals.states import APPROVAL_MOVES, ApprovalStatus
from runtime.errors import IllegalTransitionError
from runtime.event_types import Envelope, Recorded

AT = datetime(2026, 5, 1, 12, tzinfo=UTC)
POLICY, DECISION, OTHER, EVENT = UUID(int=1), UUID(int=2), UUID(int=3), UUID(int=9)
PERSON = "person:00000000-0000-0000-0000-000000000004"
CONFLICT = e.Conflict(person=UUID(int=5), because="initiator")
REQUESTED = e.ApprovalRequested(
    policy=POLICY,
    policy_name="refunds",
    policy_version=1,
    revision=2,
    arguments={"payment": "pi_1"},
    digest="d" * 64,
    amount_minor=500,
    currency="USD",
    target="pi_1",
    needed=1,
    decide_by=AT + timedelta(hours=1),
    conflicts=(CONFLICT,),
    risk="normal",
)
GRANTED = e.ApprovalGranted(by=PERSON, use_by=AT + timedelta(minutes=15), hold_until=None)
FACTS = {
    ApprovalStatus.PENDING: REQUESTED,
    ApprovalStatus.GRANTED: GRANTED,
    ApprovalStatus.REJECTED: e.ApprovalRejected(by=PERSON),
    ApprovalStatus.EXPIRED: e.ApprovalExpired(clock="use_by"),
    ApprovalStatus.CANCELLED: e.ApprovalCancelled(code="withdrawn"),
    ApprovalStatus.SUPERSEDED: e.ApprovalSuperseded(successor=OTHER),
    ApprovalStatus.CONSUMED: e.ApprovalConsumed(),
    ApprovalStatus.REVOKED: e.ApprovalRevoked(by=PERSON, reason=None),
    ApprovalStatus.INVALIDATED: e.ApprovalInvalidated(code="policy_changed", detail="Changed."),
}
LISTED = {(move.source, move.target) for move in APPROVAL_MOVES}
EVERY_PAIR = [(source, target) for source in (None, *ApprovalStatus) for target in ApprovalStatus]


def recorded(payload, actor="system"):
    envelope = Envelope(
        event_id=EVENT,
        workspace=UUID(int=9),
        run=UUID(int=9),
        position=1,
        event_type=payload.event_type,
        schema_version=1,
        producer="approvals",
        actor=actor,
        correlation_id="",
        causation_id=None,
        occurred_at=AT,
        recorded_at=AT,
        policy_decision_id=DECISION,
    )
    return Recorded(envelope=envelope, payload=payload)


@pytest.mark.parametrize(("source", "target"), EVERY_PAIR)
def test_exactly_the_listed_moves_are_possible(source, target):
    state = ApprovalState(status=source)

    if (source, target) in LISTED:
        assert reduce_approval(state, recorded(FACTS[target])).status is target
    else:
        with pytest.raises(IllegalTransitionError):
            reduce_approval(state, recorded(FACTS[target]))


def test_a_question_is_bound_to_the_exact_effect():
    assert reduce_approval(ApprovalState(), recorded(REQUESTED)) == ApprovalState(
        status=ApprovalStatus.PENDING,
        policy_id=POLICY,
        policy_decision_id=DECISION,
        revision=2,
        arguments='{"payment":"pi_1"}',
        digest="d" * 64,
        amount_minor=500,
        currency="USD",
        target="pi_1",
        risk="normal",
        needed=1,
        conflicts=({"person": str(UUID(int=5)), "because": "initiator"},),
        requested_at=AT,
        decide_by=AT + timedelta(hours=1),
        last_event=EVENT,
    )


def test_a_vote_that_is_counted_changes_no_state():
    pending = ApprovalState(status=ApprovalStatus.PENDING)
    voted = e.ApprovalVoted(
        person=OTHER,
        decision="approve",
        reason_code=None,
        note=None,
        command_id="c",
        surface="api",
        token=None,
        seen=None,
    )

    assert reduce_approval(pending, recorded(voted)) == pending


def test_a_grant_carries_its_two_clocks_and_who_gave_it():
    pending = ApprovalState(status=ApprovalStatus.PENDING)

    assert reduce_approval(pending, recorded(GRANTED)) == replace(
        pending,
        status=ApprovalStatus.GRANTED,
        use_by=AT + timedelta(minutes=15),
        granted_at=AT,
        settled_by=PERSON,
        settled_at=AT,
        last_event=EVENT,
    )


def test_spending_leaves_who_granted_it_in_place():
    granted = ApprovalState(status=ApprovalStatus.GRANTED, settled_by=PERSON, settled_at=AT)

    spent = reduce_approval(granted, recorded(FACTS[ApprovalStatus.CONSUMED]))

    assert spent == replace(granted, status=ApprovalStatus.CONSUMED, last_event=EVENT)


@pytest.mark.parametrize(
    ("target", "changes"),
    [
        (ApprovalStatus.EXPIRED, {"settled_by": "system", "settled_code": "use_by"}),
        (ApprovalStatus.CANCELLED, {"settled_by": "system", "settled_code": "withdrawn"}),
        (ApprovalStatus.REVOKED, {"settled_by": PERSON}),
        (ApprovalStatus.INVALIDATED, {"settled_by": "system", "settled_code": "policy_changed"}),
    ],
)
def test_a_grant_that_ends_says_through_whom_and_how(target, changes):
    granted = ApprovalState(status=ApprovalStatus.GRANTED, settled_by="person:before")

    ended = reduce_approval(granted, recorded(FACTS[target]))

    assert ended == replace(granted, status=target, settled_at=AT, last_event=EVENT, **changes)
