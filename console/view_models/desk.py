"""What an admin may say about one call: what became of it, or what was seen of its effect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from approvals.states import ApprovalStatus, Purpose, Role
from console.view_models.approvals import ApprovalCard, PreconditionView
from console.view_models.bar import Viewer
from console.view_models.calls import CallCard
from console.view_models.words import Word
from runtime.states import (
    VERIFICATION_NEXT,
    CallStatus,
    ReconciliationStatus,
    VerificationStatus,
)

SETTLE: Final = "Nobody but people can tell what became of it. Look it up, and say so."
ASKED: Final = "Another admin has been asked whether it was executed."
OBSERVE: Final = "Whoever sees the outcome for themselves can put that on record."
DONE: Final = "Nothing is to be said about it any more."


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskView:
    """`asked` is the open question about a settlement; `checks` what was last read."""

    card: CallCard
    asked: UUID | None
    checks: tuple[PreconditionView, ...]

    @property
    def can_settle(self) -> bool:
        return self.card.call.execution_status is CallStatus.MANUAL_HANDOFF

    @property
    def can_confirm(self) -> bool:
        return VerificationStatus.CONFIRMED_SUCCESS in self._next

    @property
    def can_deny(self) -> bool:
        return VerificationStatus.CONFIRMED_FAILURE in self._next

    @property
    def can_observe(self) -> bool:
        return self.can_confirm or self.can_deny

    @property
    def is_open(self) -> bool:
        return self.can_settle or self.can_observe

    @property
    def word(self) -> Word:
        call = self.card.call
        is_seen = call.verification_status is not VerificationStatus.NOT_OBSERVED
        return call.outcome if is_seen else call.execution

    @property
    def sentence(self) -> str:
        if self.can_settle:
            return ASKED if self.asked else SETTLE
        return OBSERVE if self.can_observe else DONE

    @property
    def _next(self) -> frozenset[str]:
        return VERIFICATION_NEXT.get(self.card.call.verification_status, frozenset()) & CONFIRMED


CONFIRMED: Final = frozenset(
    {VerificationStatus.CONFIRMED_SUCCESS, VerificationStatus.CONFIRMED_FAILURE}
)
DOUBTED: Final = frozenset({ReconciliationStatus.MANUAL, ReconciliationStatus.RESOLVED})


def desks(
    calls: tuple[CallCard, ...], approvals: tuple[ApprovalCard, ...], viewer: Viewer
) -> list[DeskView]:
    """Answer a desk for each call that was in doubt or has an outcome; to admins only."""
    if viewer.role is not Role.ADMIN:
        return []
    return [_desk(card, approvals) for card in calls if _has_desk(card)]


def _has_desk(card: CallCard) -> bool:
    call = card.call
    is_seen = call.verification_status is not VerificationStatus.NOT_OBSERVED
    # The result of a settlement is shown where it was asked for.
    return is_seen or call.reconciliation_status in DOUBTED


def _desk(card: CallCard, approvals: tuple[ApprovalCard, ...]) -> DeskView:
    asked = [each.approval for each in approvals if each.approval.tool_call == card.call.id]
    pending = [
        each.id
        for each in asked
        if each.purpose is Purpose.SETTLEMENT and each.status is ApprovalStatus.PENDING
    ]
    checks = [each.preconditions for each in asked if each.purpose is Purpose.EFFECT]
    return DeskView(
        card=card,
        asked=pending[-1] if pending else None,
        checks=checks[-1] if checks else (),
    )
