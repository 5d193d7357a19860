"""The facts that a run, its calls and their outcomes can accumulate."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from runtime.event_types import Part, Payload, TextRef, event
from runtime.states import AttemptClose, CaseKind, HeldUp, SettledAs, VerificationStatus

Source = Literal["answer", "read", "webhook", "person"]


class Evidence(Part):
    """One piece of what somebody showed; its words are personal text."""

    label: TextRef
    text: TextRef | None = None
    url: TextRef | None = None


@event("run.started")
class RunStarted(Payload):
    agent: str
    account: UUID
    token: UUID | None
    harness: Literal["internal", "external"]
    goal: TextRef
    success_criterion: TextRef | None
    order_id: str | None
    subject: TextRef
    initiator: UUID | None
    ticket: TextRef | None
    ticket_author: UUID | None


@event("run.stop_requested")
class RunStopRequested(Payload):
    reason: TextRef | None


@event("run.stopped")
class RunStopped(Payload):
    pass


@event("run.completed")
class RunCompleted(Payload):
    outcome: TextRef | None


@event("run.failed")
class RunFailed(Payload):
    outcome: TextRef | None


class Proposal(Payload):
    """What the call would do, word for word."""

    revision: int
    arguments: dict[str, Any]
    digest: str
    amount_minor: int
    currency: str
    target: str
    reasoning: TextRef
    evidence: tuple[Evidence, ...]
    decide_within_s: int | None


@event("tool.call.proposed")
class ToolCallProposed(Proposal):
    capability: str
    intent: str
    epoch: int
    retry_of: UUID | None
    idempotency_key: str


@event("tool.call.revised")
class ToolCallRevised(Proposal):
    pass


@event("tool.call.authorized")
class ToolCallAuthorized(Payload):
    """May leave, from `not_before` on; the gate is asked again when it does."""

    not_before: datetime


@event("tool.call.held_up")
class ToolCallHeldUp(Payload):
    """Permitted, and not going on now; told once, not at every try."""

    code: HeldUp


@event("tool.call.authorization_lost")
class ToolCallAuthorizationLost(Payload):
    code: str
    detail: str


@event("tool.call.refused")
class ToolCallRefused(Payload):
    code: str
    detail: str


@event("tool.call.cancellation_requested")
class ToolCallCancellationRequested(Payload):
    pass


@event("tool.call.cancelled")
class ToolCallCancelled(Payload):
    code: str


@event("tool.call.found_irreversible")
class ToolCallFoundIrreversible(Payload):
    """A stop came too late for this call: its request had already left."""


@event("tool.call.dispatching")
class ToolCallDispatching(Payload):
    """Written before the request leaves, so that a crash cannot hide an attempt."""

    external_request_id: str
    wire_key: str
    provider_account: UUID


@event("tool.call.aborted")
class ToolCallAborted(Payload):
    code: str
    detail: str


@event("tool.call.accepted")
class ToolCallAccepted(Payload):
    result_ref: str


@event("tool.call.completed")
class ToolCallCompleted(Payload):
    result_ref: str


@event("tool.call.failed")
class ToolCallFailed(Payload):
    code: str
    detail: str
    result_ref: str | None


@event("tool.call.result_unknown")
class ToolCallResultUnknown(Payload):
    """The answer was lost; the effect may or may not exist."""

    code: str


@event("tool.call.reconciling")
class ToolCallReconciling(Payload):
    pass


@event("tool.call.handed_off")
class ToolCallHandedOff(Payload):
    code: str
    detail: str


@event("tool.call.settled")
class ToolCallSettled(Payload):
    """What people say became of a call on their desk; what follows from it comes next.

    `approval` is the one by which `confirmed_by` agreed; only a completion needs it.
    """

    outcome: SettledAs
    by: str
    confirmed_by: str | None
    approval: UUID | None
    result_ref: str | None
    reason: TextRef
    evidence: tuple[Evidence, ...]


@event("tool.attempt.opened")
class ToolAttemptOpened(Payload):
    number: int
    lease_token: int


@event("tool.attempt.sent")
class ToolAttemptSent(Payload):
    pass


@event("tool.attempt.closed")
class ToolAttemptClosed(Payload):
    close: AttemptClose
    code: str


@event("tool.attempt.answered_late")
class ToolAttemptAnsweredLate(Payload):
    """An answer to somebody whose lease was gone: seen, and not acted on."""

    answer: str
    result_ref: str | None


@event("payment.observed")
class PaymentObserved(Payload):
    observation: UUID
    as_of: datetime
    digest: str


@event("policy.decided")
class PolicyDecided(Payload):
    verdict: Literal["go", "needs_person", "never"]
    policy: str | None
    version: int | None
    code: str


@event("outcome.observed")
class OutcomeObserved(Payload):
    """What a person says they saw of the effect, and what they show for it."""

    by: str
    status: VerificationStatus
    evidence: tuple[Evidence, ...]


class Outcome(Payload):
    """What was seen of the effect itself, and where it was seen."""

    source: Source
    result_ref: str | None
    detail: str


@event("outcome.pending")
class OutcomePending(Outcome):
    pass


@event("outcome.confirmed_success")
class OutcomeConfirmedSuccess(Outcome):
    pass


@event("outcome.confirmed_failure")
class OutcomeConfirmedFailure(Outcome):
    pass


@event("outcome.inconclusive")
class OutcomeInconclusive(Outcome):
    pass


@event("case.opened")
class CaseOpened(Payload):
    """The outcome is another than was said of it; whoever owns the case looks after it."""

    case: UUID
    kind: CaseKind
    owner: str


@event("case.closed")
class CaseClosed(Payload):
    case: UUID
