"""The facts an approval can accumulate."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from approvals.states import Decision, ReasonCode
from runtime.event_types import Part, Payload, TextRef, event, upcasts
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
    """People, or a rule, are asked about one exact effect."""


@event("approval.settlement_requested")
class SettlementRequested(Request):
    """Somebody says that the call was executed, and why; `digest` binds their very words."""

    by: str
    result_ref: str | None
    reason: TextRef
    evidence: tuple[Evidence, ...]


class Seen(Part):
    """What a voter acted on: the question, the policy that asked it, and how far the log went.

    `observation` and `payment_as_of` are the last that was read of the payment; a
    settlement asks about the past and shows none.
    """

    revision: int
    digest: str
    policy: UUID
    policy_version: int
    position: int
    observation: UUID | None
    payment_as_of: datetime | None


class Vote(Payload):
    """One person's answer to a question."""

    person: UUID
    decision: Decision
    reason_code: ReasonCode | None
    note: TextRef | None
    command_id: str


@event("approval.voted")
class ApprovalVotedV1(Vote):
    """Somebody answered; what they acted on was not kept."""


@event("approval.voted", version=2)
class ApprovalVoted(Vote):
    """Somebody answered, through which door, and on what; None where it was not kept."""

    surface: Literal["browser", "api"] | None
    token: UUID | None
    seen: Seen | None


@upcasts(ApprovalVotedV1)
def _seen_was_not_kept(old: ApprovalVotedV1) -> ApprovalVoted:
    """What the voter acted on is nowhere to be found: `seen`, `surface` and `token` are null."""
    return ApprovalVoted(**dict(old), surface=None, token=None, seen=None)


@event("approval.granted")
class ApprovalGranted(Payload):
    """Enough said yes; it may be spent until `use_by`, and not before `hold_until`."""

    by: str
    use_by: datetime
    hold_until: datetime | None


@event("approval.rejected")
class ApprovalRejected(Payload):
    """One person said no, and that is enough."""

    by: str


@event("approval.expired")
class ApprovalExpired(Payload):
    """Time ran out: for the question, or for a grant that was not used."""

    clock: Literal["decide_by", "use_by"]


@event("approval.cancelled")
class ApprovalCancelled(Payload):
    """The question, or the unused grant, fell away with what it was about."""

    code: str


@event("approval.superseded")
class ApprovalSuperseded(Payload):
    """The proposal changed; `successor` is asked in its place."""

    successor: UUID


@event("approval.consumed")
class ApprovalConsumed(Payload):
    """Spent on one dispatch or one settlement, in the transaction that records it."""


@event("approval.revoked")
class ApprovalRevoked(Payload):
    """Somebody took an unused grant back."""

    by: str
    reason: TextRef | None


@event("approval.invalidated")
class ApprovalInvalidated(Payload):
    """What the grant rested on changed before it was spent."""

    code: str
    detail: str
