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


class Start(Payload):
    agent: str
    account: UUID
    token: UUID | None
    harness: Literal["internal", "external"]
    goal: TextRef
    success_criterion: TextRef | None
    subject: TextRef
    initiator: UUID | None
    ticket: TextRef | None
    ticket_author: UUID | None


@event("run.started")
class RunStartedV1(Start):
    """An agent has begun a job; the order's id stands in clear in what was recorded then."""

    order_id: str | None


@event("run.started", version=2)
class RunStarted(Start):
    """An agent has begun a job; whatever it declares about people only ever adds to conflicts.

    `about` is whose data the run's texts are, None for the run's own: like the order's, a
    keyed digest.
    """

    order_key: str | None
    about: str | None


@event("run.stop_requested")
class RunStopRequested(Payload):
    """Somebody wants the run to end; nothing new begins from here on."""

    reason: TextRef | None


@event("run.stopped")
class RunStopped(Payload):
    """The stop is through: nothing of the run is open any more."""


@event("run.completed")
class RunCompleted(Payload):
    """Its agent says that the job is done."""

    outcome: TextRef | None


@event("run.failed")
class RunFailed(Payload):
    """Its agent gives up, or broke off."""

    outcome: TextRef | None


class Reason(Payload):
    """Why: a stable code, and a sentence for people."""

    code: str
    detail: str


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
    """An agent asks for an effect; nothing has been permitted."""

    capability: str
    intent: str
    epoch: int
    retry_of: UUID | None
    idempotency_key: str


@event("tool.call.revised")
class ToolCallRevised(Proposal):
    """Its agent changed what the call would do; any question about it starts over."""


@event("tool.call.authorized")
class ToolCallAuthorized(Payload):
    """May leave, from `not_before` on; the gate is asked again when it does."""

    not_before: datetime


@event("tool.call.held_up")
class ToolCallHeldUp(Payload):
    """Permitted, and not going on now; told once, not at every try."""

    code: HeldUp


@event("tool.call.authorization_lost")
class ToolCallAuthorizationLost(Reason):
    """A person or a policy changed after the grant: the call is asked about again."""


@event("tool.call.refused")
class ToolCallRefused(Reason):
    """Somebody or something with authority said no."""


@event("tool.call.cancellation_requested")
class ToolCallCancellationRequested(Payload):
    """A stop would have this call cancelled."""


@event("tool.call.cancelled")
class ToolCallCancelled(Payload):
    """Whoever wanted it no longer does."""

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
class ToolCallAborted(Reason):
    """Pulled back after the permission was spent, and before anything was sent."""


@event("tool.call.accepted")
class ToolCallAccepted(Payload):
    """The provider has it, and has not finished."""

    result_ref: str


@event("tool.call.completed")
class ToolCallCompleted(Payload):
    """Nothing is left to execute; that says nothing about money having arrived."""

    result_ref: str


@event("tool.call.failed")
class ToolCallFailed(Payload):
    """The provider said no, or it is proven that nothing was executed."""

    code: str
    detail: str
    result_ref: str | None


@event("tool.call.result_unknown")
class ToolCallResultUnknown(Payload):
    """The answer was lost; the effect may or may not exist."""

    code: str


@event("tool.call.reconciling")
class ToolCallReconciling(Payload):
    """The provider is asked what became of it."""


@event("tool.call.handed_off")
class ToolCallHandedOff(Reason):
    """No machine can tell what became of it: it is for people to say."""


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
    """Somebody holds the lease to send the request once."""

    number: int
    lease_token: int


@event("tool.attempt.sent")
class ToolAttemptSent(Payload):
    """The request may be on the wire from here on."""


@event("tool.attempt.closed")
class ToolAttemptClosed(Payload):
    """The attempt is over; what it means for the call comes next."""

    close: AttemptClose
    code: str


@event("tool.attempt.answered_late")
class ToolAttemptAnsweredLate(Payload):
    """An answer to somebody whose lease was gone: seen, and not acted on."""

    answer: str
    result_ref: str | None


@event("payment.observed")
class PaymentObserved(Payload):
    """The payment was read at its provider; the observation row has what was seen."""

    observation: UUID
    as_of: datetime
    digest: str


@event("policy.decided")
class PolicyDecided(Payload):
    """What the policy in force says of the proposal."""

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
    """The effect is not there to be seen yet."""


@event("outcome.confirmed_success")
class OutcomeConfirmedSuccess(Outcome):
    """The effect was seen, or an admin has seen it."""


@event("outcome.confirmed_failure")
class OutcomeConfirmedFailure(Outcome):
    """It was seen that the effect is not there, or not any more."""


@event("outcome.inconclusive")
class OutcomeInconclusive(Outcome):
    """Whether the effect is there cannot be seen."""


@event("case.opened")
class CaseOpened(Payload):
    """The outcome is another than was said of it; whoever owns the case looks after it."""

    case: UUID
    kind: CaseKind
    owner: str


@event("case.closed")
class CaseClosed(Payload):
    """The outcome is again what was said of it."""

    case: UUID
