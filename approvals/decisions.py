"""Why a decision would be refused. The pages and the handler ask the same questions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from approvals.authority import Limit, NoLimit, OverLimit, Usage, shortfall
from approvals.commands import DecideApproval
from approvals.conflicts import reasons
from approvals.events import Conflict
from approvals.states import ApprovalStatus, Decision, Purpose, Role
from runtime.capabilities import Precondition
from runtime.commands import Refusal, Surface

NOT_A_REVIEWER: Final = Refusal(
    http_status=403, code="not_authorized", detail="Only reviewers decide."
)
NOT_AN_ADMIN: Final = Refusal(
    http_status=403, code="not_authorized", detail="Only admins settle calls."
)
# Who answers which kind of question, and what everybody else is told.
DECIDERS: Final[Mapping[Purpose, tuple[Role, Refusal]]] = {
    Purpose.EFFECT: (Role.REVIEWER, NOT_A_REVIEWER),
    Purpose.SETTLEMENT: (Role.ADMIN, NOT_AN_ADMIN),
}
BROWSER_ONLY: Final = Refusal(
    http_status=403, code="not_authorized", detail="The policy takes decisions on a page only."
)
REASON_REQUIRED: Final = Refusal(
    http_status=422, code="reason_required", detail="A rejection needs a reason_code."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Latest:
    """The approval that took a superseded one's place."""

    approval: UUID
    revision: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """An approval as a decision meets it; `settled_by` is an id, as in the log."""

    status: ApprovalStatus
    purpose: Purpose
    revision: int
    digest: str
    amount_minor: int
    decide_by: datetime
    conflicts: tuple[Conflict, ...]
    settled_by: str | None = None
    settled_at: datetime | None = None
    latest: Latest | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Voter:
    """Who answers, what they voted so far, and the limits that bear on the question.

    `hands`: the person, and whoever made the token they come with.
    """

    hands: frozenset[UUID]
    groups: frozenset[str]
    voted: frozenset[Decision]
    limits: tuple[Limit, ...]
    usage: Usage


def not_allowed(
    role: Role | None, surface: Surface, required: str | None, purpose: Purpose
) -> Refusal | None:
    """Say why somebody may not decide here at all; such a refusal leaves no receipt."""
    decider, refusal = DECIDERS[purpose]
    if role is not decider:
        return refusal
    return BROWSER_ONLY if required is not None and surface != required else None


def closed(question: Question, now: datetime) -> Refusal | None:
    """Say why the question no longer takes any answer."""
    status = question.status
    if status is ApprovalStatus.SUPERSEDED and question.latest is not None:
        return _superseded(question.latest)
    overdue = status is ApprovalStatus.PENDING and now >= question.decide_by
    if overdue or status is ApprovalStatus.EXPIRED:
        return Refusal(http_status=410, code="expired", detail="The time to decide is over.")
    if status is not ApprovalStatus.PENDING:
        return already_settled(question)
    return None


def stale(question: Question, command: DecideApproval) -> Refusal | None:
    """Say that the answer was given to something else than what is asked."""
    if (command.revision, command.digest) == (question.revision, question.digest):
        return None
    return Refusal(
        http_status=412,
        code="stale",
        detail="The decision names another revision or digest than the question has.",
        extra={"revision": question.revision, "digest": question.digest},
    )


def barred(
    question: Question, voter: Voter, decision: Decision, preconditions: Iterable[Precondition]
) -> Refusal | None:
    """Say why this person may not give this answer to an open question."""
    if decision in voter.voted:
        detail = "You have voted on this already; somebody else has to add their vote."
        return Refusal(http_status=409, code="already_voted", detail=detail)
    if because := reasons(question.conflicts, voter.hands):
        return _conflict(because)
    if question.purpose is Purpose.SETTLEMENT:
        # It spends nothing: neither a limit nor the payment has a say in what has happened.
        return None
    # A rejection uses nothing up, so only the amount itself counts against the limit.
    usage = voter.usage if decision is Decision.APPROVE else Usage()
    match shortfall(question.amount_minor, usage, voter.limits, voter.groups):
        case NoLimit():
            return _no_limit()
        case OverLimit(needs=needs):
            return _over_limit(needs)
        case None:
            return failed(preconditions) if decision is Decision.APPROVE else None


def failed(preconditions: Iterable[Precondition]) -> Refusal | None:
    """The first precondition known to be false; what could not be read blocks nobody."""
    broken = next((each for each in preconditions if each.ok is False), None)
    if broken is None:
        return None
    as_of = broken.as_of.isoformat() if broken.as_of else None
    return Refusal(
        http_status=409,
        code="precondition_failed",
        detail=broken.detail,
        extra={"name": broken.name, "as_of": as_of, "detail": broken.detail},
    )


def already_settled(question: Question) -> Refusal:
    by = question.settled_by or "system"
    at = question.settled_at.isoformat() if question.settled_at else None
    return Refusal(
        http_status=409,
        code="already_settled",
        detail=f"It is {question.status} already.",
        extra={"status": question.status.value, "by": by, "at": at},
    )


def _superseded(latest: Latest) -> Refusal:
    current = {
        "approval": str(latest.approval),
        "revision": latest.revision,
        "digest": latest.digest,
    }
    return Refusal(
        http_status=412,
        code="superseded",
        detail="The agent has changed the proposal; a new question took this one's place.",
        extra={"current": current},
    )


def _conflict(because: Collection[str]) -> Refusal:
    words = ", ".join(each.replace("_", " ") for each in because)
    return Refusal(
        http_status=403,
        code="conflict_of_interest",
        detail=f"You, or whoever made your token, stand behind this run ({words}).",
        extra={"because": list(because)},
    )


def _no_limit() -> Refusal:
    detail = "None of your groups has a limit in this currency."
    return Refusal(http_status=403, code="no_limit_for_currency", detail=detail)


def _over_limit(needs: tuple[str, ...]) -> Refusal:
    who = f"It needs somebody from: {', '.join(needs)}." if needs else "Nobody's limit covers it."
    return Refusal(
        http_status=403,
        code="over_limit",
        detail=f"Your limit does not cover this. {who}",
        extra={"needs": list(needs)},
    )
