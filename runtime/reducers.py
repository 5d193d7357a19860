"""From facts to the state of a call and its attempts. Pure, like everything that reduces."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from runtime import events as e
from runtime.canonical import canonical
from runtime.errors import IllegalTransitionError
from runtime.event_types import Recorded
from runtime.states import (
    ATTEMPT_NEXT,
    CALL_NEXT,
    LOOK_UP_UNAVAILABLE,
    VERIFICATION_NEXT,
    AttemptClose,
    AttemptStatus,
    CallStatus,
    HeldUp,
    Moves,
    VerificationStatus,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallState:
    """Field for field, the columns of `ToolCall` that events decide."""

    turn_id: str | None = None
    capability: str = ""
    intent: str = ""
    epoch: int = 1
    revision: int = 0
    retry_of_id: UUID | None = None
    arguments: str = ""
    artifact: UUID | None = None
    digest: str = ""
    amount_minor: int = 0
    currency: str = ""
    target: str = ""
    reasoning: UUID | None = None
    evidence: tuple[dict[str, str | None], ...] = ()
    decide_within_s: int | None = None
    idempotency_key: str = ""
    wire_key: str | None = None
    external_request_id: str | None = None
    provider_account: UUID | None = None
    result_ref: str | None = None
    execution_status: CallStatus | None = None
    verification_status: VerificationStatus | None = None
    was_unknown: bool = False
    looked_up: int = 0
    not_before: datetime | None = None
    held_up_code: HeldUp | None = None
    held_up_at: datetime | None = None
    proposed_at: datetime | None = None
    authorized_at: datetime | None = None
    dispatched_at: datetime | None = None
    accepted_at: datetime | None = None
    confirmed_at: datetime | None = None
    error_code: str | None = None
    error_detail: str | None = None
    last_event: UUID | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptState:
    """Field for field, the columns of `Attempt` that events decide."""

    number: int = 0
    status: AttemptStatus | None = None
    close: AttemptClose | None = None
    code: str | None = None
    lease_token: int = 0
    opened_at: datetime | None = None
    sent_at: datetime | None = None
    closed_at: datetime | None = None
    last_event: UUID | None = None


def check_move(table: Moves, source: str | None, target: str) -> None:
    if target not in table.get(source, frozenset()):
        raise IllegalTransitionError(f"{source} cannot become {target}")


def reduce_call(state: CallState, fact: Recorded) -> CallState:
    after = _reduce_call(state, fact)
    return state if after == state else replace(after, last_event=fact.envelope.event_id)


def _reduce_call(state: CallState, fact: Recorded) -> CallState:  # noqa: C901, PLR0912
    match fact.payload:
        case e.ToolCallProposed() as proposed:
            return _proposed(state, proposed, fact)
        case e.ToolCallRevised() as revised:
            return _revised(_moved(state, CallStatus.PROPOSED), revised, fact)
        case e.ToolCallAuthorized(not_before=not_before):
            return _authorized(state, not_before=not_before, at=fact.occurred_at)
        case e.ToolCallAuthorizationLost():
            return _authorized(state, not_before=None, at=None)
        case e.ToolCallHeldUp(code=code):
            return replace(state, held_up_code=code, held_up_at=fact.occurred_at)
        case e.ToolCallRefused(code=code, detail=detail):
            return _moved(state, CallStatus.REFUSED, error_code=code, error_detail=detail)
        case e.ToolCallCancelled(code=code):
            return _moved(state, CallStatus.CANCELLED, error_code=code)
        case e.ToolCallDispatching() as left:
            return _dispatching(state, left, fact.occurred_at)
        case e.ToolCallAborted(code=code, detail=detail):
            return _moved(state, CallStatus.ABORTED, error_code=code, error_detail=detail)
        case e.ToolCallAccepted(result_ref=ref):
            return _answered(state, CallStatus.ACCEPTED, ref, fact.occurred_at)
        case e.ToolCallCompleted(result_ref=ref):
            return _answered(state, CallStatus.COMPLETED, ref, fact.occurred_at)
        case e.ToolCallFailed(code=code, detail=detail, result_ref=ref):
            failed = _moved(state, CallStatus.FAILED, error_code=code, error_detail=detail)
            return replace(failed, result_ref=ref or state.result_ref)
        case e.ToolCallResultUnknown(code=code):
            return _unknown(state, code)
        case e.ToolCallReconciling():
            looking = _moved(state, CallStatus.RECONCILING, looked_up=state.looked_up + 1)
            return _still_held_up(looking, state)
        case e.ToolCallHandedOff(code=code, detail=detail):
            return _moved(state, CallStatus.MANUAL_HANDOFF, error_code=code, error_detail=detail)
        case e.ToolAttemptOpened() if state.execution_status is not CallStatus.DISPATCHING:
            return _moved(state, CallStatus.DISPATCHING)
        case e.Outcome() as outcome:
            return _verified(state, outcome, fact.occurred_at)
        case _:
            return state


def reduce_attempt(state: AttemptState, fact: Recorded) -> AttemptState:
    after = _reduce_attempt(state, fact)
    return state if after == state else replace(after, last_event=fact.envelope.event_id)


def _reduce_attempt(state: AttemptState, fact: Recorded) -> AttemptState:
    at = fact.occurred_at
    match fact.payload:
        case e.ToolAttemptOpened(number=number, lease_token=token):
            check_move(ATTEMPT_NEXT, state.status, AttemptStatus.OPENED)
            opened = AttemptStatus.OPENED
            return AttemptState(number=number, status=opened, lease_token=token, opened_at=at)
        case e.ToolAttemptSent():
            check_move(ATTEMPT_NEXT, state.status, AttemptStatus.SENT)
            return replace(state, status=AttemptStatus.SENT, sent_at=at)
        case e.ToolAttemptClosed(close=close, code=code):
            check_move(ATTEMPT_NEXT, state.status, AttemptStatus.CLOSED)
            closed = AttemptStatus.CLOSED
            return replace(state, status=closed, close=close, code=code, closed_at=at)
        case _:
            return state


def _proposed(state: CallState, proposed: e.ToolCallProposed, fact: Recorded) -> CallState:
    check_move(CALL_NEXT, state.execution_status, CallStatus.PROPOSED)
    new = CallState(
        turn_id=fact.envelope.turn_id,
        capability=proposed.capability,
        intent=proposed.intent,
        epoch=proposed.epoch,
        retry_of_id=proposed.retry_of,
        idempotency_key=proposed.idempotency_key,
        execution_status=CallStatus.PROPOSED,
        verification_status=VerificationStatus.NOT_OBSERVED,
        proposed_at=fact.occurred_at,
    )
    return _revised(new, proposed, fact)


def _revised(state: CallState, proposal: e.Proposal, fact: Recorded) -> CallState:
    return replace(
        state,
        revision=proposal.revision,
        arguments=canonical(proposal.arguments),
        artifact=fact.envelope.artifact_id,
        digest=proposal.digest,
        amount_minor=proposal.amount_minor,
        currency=proposal.currency,
        target=proposal.target,
        reasoning=proposal.reasoning.id,
        evidence=tuple(evidence_ids(item) for item in proposal.evidence),
        decide_within_s=proposal.decide_within_s,
    )


def evidence_ids(item: e.Evidence) -> dict[str, str | None]:
    refs = {"label": item.label, "text": item.text, "url": item.url}
    return {name: str(ref.id) if ref else None for name, ref in refs.items()}


def _dispatching(state: CallState, left: e.ToolCallDispatching, at: datetime) -> CallState:
    return _moved(
        state,
        CallStatus.DISPATCHING,
        external_request_id=left.external_request_id,
        wire_key=left.wire_key,
        provider_account=left.provider_account,
        dispatched_at=at,
    )


def _authorized(state: CallState, *, not_before: datetime | None, at: datetime | None) -> CallState:
    to = CallStatus.PROPOSED if at is None else CallStatus.AUTHORIZED
    return _moved(state, to, not_before=not_before, authorized_at=at)


def _unknown(state: CallState, code: str) -> CallState:
    unknown = _moved(state, CallStatus.RESULT_UNKNOWN, error_code=code, was_unknown=True)
    return _still_held_up(unknown, state) if code == LOOK_UP_UNAVAILABLE else unknown


def _still_held_up(state: CallState, before: CallState) -> CallState:
    """A look-up that begins, or says nothing, does not get the call any further."""
    return replace(state, held_up_code=before.held_up_code, held_up_at=before.held_up_at)


def _answered(state: CallState, to: CallStatus, ref: str, at: datetime) -> CallState:
    return _moved(
        state,
        to,
        result_ref=ref,
        accepted_at=state.accepted_at or at,
        error_code=None,
        error_detail=None,
    )


def _verified(state: CallState, outcome: e.Outcome, at: datetime) -> CallState:
    status = VerificationStatus(outcome.event_type.removeprefix("outcome."))
    check_move(VERIFICATION_NEXT, state.verification_status, status)
    ref = outcome.result_ref or state.result_ref
    if status is VerificationStatus.CONFIRMED_SUCCESS:
        state = replace(state, confirmed_at=at)
    return replace(state, verification_status=status, result_ref=ref)


def _moved(state: CallState, to: CallStatus, **changes: Any) -> CallState:  # noqa: ANN401
    check_move(CALL_NEXT, state.execution_status, to)
    gone_on = {"held_up_code": None, "held_up_at": None}
    return replace(state, execution_status=to, **gone_on | changes)
