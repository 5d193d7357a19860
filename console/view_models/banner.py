"""What stands over an approval: one word, one sentence, one tone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from approvals.states import ApprovalStatus
from console.view_models.approvals import ApprovalView
from console.view_models.words import Shape, Tone, Word


@dataclass(frozen=True, slots=True, kw_only=True)
class BannerView:
    title: str
    sentence: str
    tone: Tone
    shape: Shape


def approval_banner(approval: ApprovalView, now: datetime) -> BannerView:
    """Judge at `now`: a question whose time is over reads as expired at once."""
    if is_overdue(approval, now):
        return _banner(approval.words[ApprovalStatus.EXPIRED])
    word = approval.word
    missing = approval.votes.needed - len(approval.votes.cast)
    if approval.status is ApprovalStatus.PENDING and approval.votes.cast and missing > 0:
        needed = approval.votes.needed
        return _banner(word, f"{len(approval.votes.cast)} of {needed} people have approved.")
    if approval.status is ApprovalStatus.GRANTED and is_held(approval, now):
        return _banner(word, "It is held for a moment and can still be taken back.")
    return _banner(word)


def is_overdue(approval: ApprovalView, now: datetime) -> bool:
    return approval.status is ApprovalStatus.PENDING and now >= approval.decide_by


def is_held(approval: ApprovalView, now: datetime) -> bool:
    return approval.hold_until is not None and now < approval.hold_until


def _banner(word: Word, sentence: str | None = None) -> BannerView:
    return BannerView(
        title=word.text, sentence=sentence or word.meaning, tone=word.tone, shape=word.shape
    )
