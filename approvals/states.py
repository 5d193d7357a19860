"""Where an approval can be, every move it can make, and what a person may answer."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from runtime.states import Move, targets


class ApprovalStatus(StrEnum):
    PENDING = "pending"
    GRANTED = "granted"
    REJECTED = "rejected"
    EXPIRED = "expired"
    CANCELLED = "cancelled"
    SUPERSEDED = "superseded"
    CONSUMED = "consumed"
    REVOKED = "revoked"
    INVALIDATED = "invalidated"


class Purpose(StrEnum):
    """What is approved: an effect that is to happen, or what is said of one that may have."""

    EFFECT = "effect"
    SETTLEMENT = "settlement"


class Decision(StrEnum):
    APPROVE = "approve"
    REJECT = "reject"


class ReasonCode(StrEnum):
    DUPLICATE = "duplicate"
    EVIDENCE_MISSING = "evidence_missing"
    WRONG_AMOUNT = "wrong_amount"
    NOT_ENTITLED = "not_entitled"
    SUSPECTED_FRAUD = "suspected_fraud"
    OTHER = "other"


class Role(StrEnum):
    SUPPORT = "support"
    REVIEWER = "reviewer"
    ADMIN = "admin"
    AGENT = "agent"


class ChangeKind(StrEnum):
    WORKSPACE_CREATED = "workspace.created"
    MEMBER_ADDED = "member.added"
    MEMBER_CHANGED = "member.changed"
    AUTHORITY_SET = "authority.set"
    POLICY_WRITTEN = "policy.written"
    POLICY_ACTIVATED = "policy.activated"
    POLICY_WITHDRAWN = "policy.withdrawn"
    PROVIDER_CONNECTED = "provider.connected"
    EVIDENCE_TAKEN = "evidence.taken"
    TOKEN_ISSUED = "token.issued"  # noqa: S105 - the name of a fact
    TOKEN_REVOKED = "token.revoked"  # noqa: S105 - the same
    PERSON_ERASED = "person.erased"


class ErasureReason(StrEnum):
    """Why somebody is erased: a code, so that no more is said of them."""

    ASKED = "asked"
    NO_LONGER_NEEDED = "no_longer_needed"
    MISTAKE = "mistake"
    OTHER = "other"


S = ApprovalStatus


def _move(source: str | None, target: str, cause: str, name: str | None = None) -> Move:
    name = name or target
    return Move(source=source, target=target, cause=cause, events=(f"approval.{name}",))


APPROVAL_MOVES: Final = (
    _move(None, S.PENDING, "the policy needs a person", "requested"),
    _move(None, S.PENDING, "an admin says that a call was executed", "settlement_requested"),
    _move(S.PENDING, S.GRANTED, "quorum met"),
    _move(S.PENDING, S.REJECTED, "one veto"),
    _move(S.PENDING, S.EXPIRED, "decide_by passed"),
    _move(S.PENDING, S.CANCELLED, "agent, stop, run end, admin; the call was settled otherwise"),
    _move(S.PENDING, S.SUPERSEDED, "new arguments make a new approval"),
    _move(S.GRANTED, S.CONSUMED, "spent on one dispatch, or one settlement"),
    _move(S.GRANTED, S.REVOKED, "an admin, or the approver inside the hold"),
    _move(S.GRANTED, S.EXPIRED, "use_by passed"),
    _move(S.GRANTED, S.CANCELLED, "agent, stop, run end"),
    _move(S.GRANTED, S.INVALIDATED, "a person, a policy or the world changed"),
)

APPROVAL_NEXT: Final = targets(APPROVAL_MOVES)
APPROVAL_OPEN: Final = frozenset({S.PENDING, S.GRANTED})
