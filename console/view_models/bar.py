"""What this viewer may do about an approval or a run, and if not, why not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from approvals.states import ApprovalStatus, Decision, Purpose, Role
from console.view_models.approvals import ApprovalCard, ApprovalView
from console.view_models.banner import is_held, is_overdue
from console.view_models.phrases import LOST
from console.view_models.runs import RunView
from console.view_models.words import Word

REFUSALS: Final[Mapping[str, str]] = {
    "not_authorized": "Your role may read this, not decide it.",
    "already_voted": "You have already voted. Someone else has to add theirs.",
    "conflict_of_interest": "You are behind this run, so someone else has to decide.",
    "no_limit_for_currency": "Your group has no limit in this currency, so you may not decide.",
    "over_limit": "The amount is above your limit.",
    "precondition_failed": "It cannot be approved as the payment stands.",
}
# The same codes, where what is asked is whether a call was executed.
SETTLEMENT_REFUSALS: Final[Mapping[str, str]] = {
    **REFUSALS,
    "not_authorized": "Only an admin can confirm that a call was executed.",
    "conflict_of_interest": (
        "You said so yourself, or are behind this run, so another admin has to confirm it."
    ),
}
# Alone it would be within: a rejection, which uses nothing up, is still theirs to give.
OVER_IN_SUM: Final = "Together with what was approved before, it is above your limit."

SETTLED: Final[Mapping[ApprovalStatus, str]] = {
    ApprovalStatus.GRANTED: "{by} approved this. It has not been sent yet.",
    ApprovalStatus.CONSUMED: "{by} approved this, and the approval has been used.",
    ApprovalStatus.REJECTED: "{by} rejected this. Nothing was sent.",
    ApprovalStatus.EXPIRED: "Time ran out, so nothing is sent.",
    ApprovalStatus.CANCELLED: "{by} withdrew the question. Nothing was sent.",
    ApprovalStatus.SUPERSEDED: "The agent changed the proposal. This version cannot be decided.",
    ApprovalStatus.REVOKED: "{by} took the approval back before it was used. Nothing was sent.",
    ApprovalStatus.INVALIDATED: "The approval no longer holds. {how}",
}
SETTLEMENT_SETTLED: Final[Mapping[ApprovalStatus, str]] = {
    **SETTLED,
    ApprovalStatus.GRANTED: "{by} confirmed this.",
    ApprovalStatus.CONSUMED: "{by} confirmed this. The call is settled as completed.",
    ApprovalStatus.REJECTED: "{by} did not confirm this. The call stayed on the desk.",
    ApprovalStatus.EXPIRED: "Nobody confirmed this in time. The call stayed on the desk.",
    ApprovalStatus.CANCELLED: "This needs no answer any more. {how}",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """Who looks, and the refusal code an approval of theirs would meet (None: none).

    `needs`: the groups that could approve instead; `broken`: what the failed check says.
    """

    username: str
    role: Role
    refusal: str | None = None
    needs: str = ""
    broken: str = ""
    may_reject: bool = True

    @property
    def may_act(self) -> bool:
        return self.role in (Role.REVIEWER, Role.ADMIN)

    @property
    def is_admin(self) -> bool:
        return self.role is Role.ADMIN


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionBarView:
    """`settled` is the sentence that replaces the buttons once there is nothing to decide."""

    card: ApprovalCard
    word: Word
    can_approve: bool
    cannot_approve_reason: str | None
    can_reject: bool
    can_take_back: bool
    can_revoke: bool
    settled: str | None

    @property
    def approval(self) -> ApprovalView:
        return self.card.approval

    @property
    def can_answer(self) -> bool:
        return self.can_approve or self.can_reject

    @property
    def steps(self) -> set[str]:
        """The second steps that this viewer may be shown."""
        offered = {
            "approve": self.can_approve,
            "reject": self.can_reject,
            "revoke": self.can_revoke,
        }
        return {step for step, is_offered in offered.items() if is_offered}

    @property
    def is_open(self) -> bool:
        return self.settled is None

    @property
    def revoke_label(self) -> str:
        asked = self.approval.status is ApprovalStatus.PENDING
        return "Cancel the question" if asked else "Revoke"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunActionsView:
    run: RunView
    can_stop: bool


def decision_bar(card: ApprovalCard, viewer: Viewer, now: datetime) -> DecisionBarView:
    approval = card.approval
    overdue = is_overdue(approval, now)
    settled = _settled(approval, overdue=overdue)
    reason = settled or _cannot_approve(approval, viewer)
    granted = approval.status is ApprovalStatus.GRANTED
    can_take_back = granted and is_held(approval, now) and _approved(approval, viewer.username)
    is_settleable = granted or (approval.status is ApprovalStatus.PENDING and not overdue)
    return DecisionBarView(
        card=card,
        word=approval.words[ApprovalStatus.EXPIRED] if overdue else approval.word,
        can_approve=reason is None,
        cannot_approve_reason=reason,
        can_reject=settled is None and viewer.may_act and viewer.may_reject,
        can_take_back=can_take_back,
        can_revoke=is_settleable and viewer.role is Role.ADMIN and not can_take_back,
        settled=settled,
    )


def run_actions(run: RunView, viewer: Viewer) -> RunActionsView:
    return RunActionsView(run=run, can_stop=run.view.can_stop and viewer.may_act)


def _cannot_approve(approval: ApprovalView, viewer: Viewer) -> str | None:
    refusals = REFUSALS if approval.purpose is Purpose.EFFECT else SETTLEMENT_REFUSALS
    if not viewer.may_act:
        return refusals["not_authorized"]
    if viewer.refusal is None:
        return None
    sentence = refusals.get(viewer.refusal, f"You may not decide this ({viewer.refusal}).")
    if viewer.refusal == "over_limit" and viewer.may_reject:
        sentence = OVER_IN_SUM
    needs = f"It needs {viewer.needs}." if viewer.needs else ""
    return " ".join(filter(None, (sentence, viewer.broken, needs)))


def _approved(approval: ApprovalView, username: str) -> bool:
    return any(
        vote.by == username and vote.decision is Decision.APPROVE for vote in approval.votes.cast
    )


def _settled(approval: ApprovalView, *, overdue: bool) -> str | None:
    """Say who settled it and what follows; the moment is shown beside it."""
    is_effect = approval.purpose is Purpose.EFFECT
    if overdue and is_effect:
        return "Nobody decided in time, so nothing is sent."
    status = ApprovalStatus.EXPIRED if overdue else approval.status
    template = (SETTLED if is_effect else SETTLEMENT_SETTLED).get(status)
    if template is None:
        return None
    by = approval.settled.by if approval.settled else "Someone"
    how = approval.settled.how if approval.settled else ""
    return template.format(by=by, how=LOST.get(how, f"({how})" if how else "")).strip()
