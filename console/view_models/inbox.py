"""What waits for people, most urgent first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from approvals.states import ApprovalStatus
from console.view_models.approvals import ApprovalCard


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterView:
    label: str
    href: str
    is_current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxView:
    """`waiting` counts all that is pending; only an unfiltered first page `takes_news`."""

    rows: tuple[ApprovalCard, ...]
    waiting: int
    filters: tuple[FilterView, ...] = ()
    next: str | None = None
    takes_news: bool = True
    is_settled: bool = False


def by_urgency(cards: Iterable[ApprovalCard]) -> tuple[ApprovalCard, ...]:
    """Pending ones first, by the time left; then the settled ones, newest first."""
    pending: list[ApprovalCard] = []
    settled: list[ApprovalCard] = []
    for card in cards:
        (pending if card.approval.status is ApprovalStatus.PENDING else settled).append(card)
    pending.sort(key=lambda card: (card.approval.decide_by, card.approval.id))
    settled.sort(key=_ended_at, reverse=True)
    return (*pending, *settled)


def _ended_at(card: ApprovalCard) -> tuple[float, str]:
    settled = card.approval.settled
    at = settled.at if settled else card.requested_at
    return (at.timestamp(), str(card.approval.id))
