"""From facts to the state of an approval. Pure: the same facts always give the same state."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from approvals import events as e
from approvals.states import APPROVAL_NEXT, ApprovalStatus, Purpose
from runtime.canonical import canonical
from runtime.event_types import Recorded
from runtime.reducers import check_move, evidence_ids


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalState:
    """Field for field, the columns of `Approval` that events decide."""

    status: ApprovalStatus | None = None
    purpose: Purpose = Purpose.EFFECT
    claim: dict[str, Any] | None = None
    policy_id: UUID | None = None
    policy_decision_id: UUID | None = None
    revision: int = 0
    arguments: str = ""
    artifact: UUID | None = None
    digest: str = ""
    amount_minor: int = 0
    currency: str = ""
    target: str = ""
    risk: str = ""
    needed: int = 0
    conflicts: tuple[dict[str, str], ...] = ()
    requested_at: datetime | None = None
    decide_by: datetime | None = None
    use_by: datetime | None = None
    hold_until: datetime | None = None
    granted_at: datetime | None = None
    settled_by: str | None = None
    settled_at: datetime | None = None
    settled_code: str | None = None
    successor: UUID | None = None
    last_event: UUID | None = None


def reduce_approval(state: ApprovalState, fact: Recorded) -> ApprovalState:
    after = _reduce_approval(state, fact)
    return state if after == state else replace(after, last_event=fact.envelope.event_id)


def _reduce_approval(state: ApprovalState, fact: Recorded) -> ApprovalState:  # noqa: C901
    match fact.payload:
        case e.SettlementRequested() as requested:
            return replace(
                _requested(state, requested, fact),
                purpose=Purpose.SETTLEMENT,
                claim=_claim(requested),
            )
        case e.ApprovalRequested() as requested:
            return _requested(state, requested, fact)
        case e.ApprovalGranted() as granted:
            return _granted(state, granted, fact)
        case e.ApprovalRejected(by=by):
            return _settled(state, ApprovalStatus.REJECTED, fact, settled_by=by)
        case e.ApprovalExpired(clock=clock):
            return _settled(state, ApprovalStatus.EXPIRED, fact, settled_code=clock)
        case e.ApprovalCancelled(code=code):
            return _settled(state, ApprovalStatus.CANCELLED, fact, settled_code=code)
        case e.ApprovalSuperseded(successor=successor):
            return _settled(state, ApprovalStatus.SUPERSEDED, fact, successor=successor)
        case e.ApprovalConsumed():
            # Whoever granted it has settled the question; the spending changes no answer.
            return _moved(state, ApprovalStatus.CONSUMED)
        case e.ApprovalRevoked(by=by):
            return _settled(state, ApprovalStatus.REVOKED, fact, settled_by=by)
        case e.ApprovalInvalidated(code=code):
            return _settled(state, ApprovalStatus.INVALIDATED, fact, settled_code=code)
        case _:
            return state


def _claim(asked: e.SettlementRequested) -> dict[str, Any]:
    return {
        "by": asked.by,
        "result_ref": asked.result_ref,
        "reason": str(asked.reason.id),
        "evidence": [evidence_ids(piece) for piece in asked.evidence],
    }


def _requested(state: ApprovalState, asked: e.Request, fact: Recorded) -> ApprovalState:
    return _moved(
        state,
        ApprovalStatus.PENDING,
        policy_id=asked.policy,
        policy_decision_id=fact.envelope.policy_decision_id,
        revision=asked.revision,
        arguments=canonical(asked.arguments),
        artifact=fact.envelope.artifact_id,
        digest=asked.digest,
        amount_minor=asked.amount_minor,
        currency=asked.currency,
        target=asked.target,
        risk=asked.risk,
        needed=asked.needed,
        conflicts=tuple(conflict.model_dump(mode="json") for conflict in asked.conflicts),
        requested_at=fact.occurred_at,
        decide_by=asked.decide_by,
    )


def _granted(state: ApprovalState, granted: e.ApprovalGranted, fact: Recorded) -> ApprovalState:
    return _settled(
        state,
        ApprovalStatus.GRANTED,
        fact,
        settled_by=granted.by,
        use_by=granted.use_by,
        hold_until=granted.hold_until,
        granted_at=fact.occurred_at,
    )


def _settled(
    state: ApprovalState,
    to: ApprovalStatus,
    fact: Recorded,
    **changes: Any,  # noqa: ANN401
) -> ApprovalState:
    who = {"settled_by": fact.envelope.actor, "settled_at": fact.occurred_at}
    return _moved(state, to, **(who | changes))


def _moved(state: ApprovalState, to: ApprovalStatus, **changes: Any) -> ApprovalState:  # noqa: ANN401
    check_move(APPROVAL_NEXT, state.status, to)
    return replace(state, status=to, **changes)
