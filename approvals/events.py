"""The facts an approval can accumulate."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from approvals.states import Decision, ReasonCode
from runtime.event_types import Part, Payload, TextRef, event
from runtime.events import Evidence

Because = Literal[
    "initiator",
    "ticket_author",
    "agent_owner",
    "token_creator",
    "proposal_editor",
    "policy_author",
    "beneficiary_owner",
    "settlement_proposer",
]


class Conflict(Part):
    """Somebody behind the run, who may therefore not decide about it."""

    person: UUID
    because: Because


class Request(Payload):
    """A question to people, bound to one exact effect."""

    policy: UUID
    policy_name: str
    policy_version: int
    revision: int
    arguments: dict[str, Any]
    digest: str
    amount_minor: int
    currency: str
    target: str
    needed: int
    decide_by: datetime
    conflicts: tuple[Conflict, ...]
    risk: str


@event("approval.requested")
class ApprovalRequested(Request):
    pass


@event("approval.settlement_requested")
class SettlementRequested(Request):
    """Somebody says that the call was executed, and why; `digest` binds their very words."""

    by: str
    result_ref: str | None
    reason: TextRef
    evidence: tuple[Evidence, ...]


@event("approval.voted")
class ApprovalVoted(Payload):
    person: UUID
    decision: Decision
    reason_code: ReasonCode | None
    note: TextRef | None
    command_id: str


@event("approval.granted")
class ApprovalGranted(Payload):
    by: str
    use_by: datetime
    hold_until: datetime | None


@event("approval.rejected")
class ApprovalRejected(Payload):
    by: str


@event("approval.expired")
class ApprovalExpired(Payload):
    clock: Literal["decide_by", "use_by"]


@event("approval.cancelled")
class ApprovalCancelled(Payload):
    code: str


@event("approval.superseded")
class ApprovalSuperseded(Payload):
    successor: UUID


@event("approval.consumed")
class ApprovalConsumed(Payload):
    """Spent on one dispatch or one settlement, in the transaction that records it."""


@event("approval.revoked")
class ApprovalRevoked(Payload):
    by: str
    reason: TextRef | None


@event("approval.invalidated")
class ApprovalInvalidated(Payload):
    code: str
    detail: str
