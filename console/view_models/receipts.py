"""What became of somebody's command, said in a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from console.view_models.words import Shape, Tone

APPLIED: Final[Mapping[str, str]] = {
    "approve": "Approved. Your decision is on record.",
    "reject": "Rejected. Your decision is on record.",
    "revoke": "Taken back. Nothing will be sent on this approval.",
    "settle": "Settled. What you said is on record.",
    "asked": "Asked. Nothing is settled until another admin confirms it.",
    "observe": "On record. What you saw confirms the outcome.",
    "stop": "Stop requested. Nothing new begins in this run.",
}
REFUSED: Final[Mapping[str, str]] = {
    "superseded": "The agent changed the proposal while you decided. Look at the new version.",
    "expired": "The time to decide was over.",
    "already_settled": "Someone else settled this first.",
    "stale": "You decided about an older version of this page.",
    "already_voted": "You have already voted on this.",
    "conflict_of_interest": "You are behind this run, so someone else has to decide.",
    "no_limit_for_currency": "Your group has no limit in this currency.",
    "over_limit": "The amount is above your limit.",
    "precondition_failed": "The payment no longer allows this refund.",
    "too_late": "Too late: the approval had already been used. Nothing was stopped.",
    "not_handed_off": "The call is not on people's desk, or not any more.",
    "settlement_pending": "Another admin has been asked about this call already.",
    "not_observable": "This call has no outcome that could be seen.",
    "already_confirmed": "The outcome is confirmed already.",
    "not_authorized": "You may not do this.",
    "run_ended": "The run has already ended.",
    "log_unreadable": "A newer version of this program has written to this run's log.",
    "not_settled": "Something in this run is still open.",
    "reason_required": "A rejection needs a reason.",
    "invalid": "The form was not complete.",
    "idempotency_mismatch": "This form was already sent with other contents.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptView:
    command_id: str
    kind: str
    target: str
    actor: str
    surface: str
    token: UUID | None
    status: str
    http_status: int
    code: str
    detail: str
    event_positions: tuple[int, ...]
    received_at: datetime
    replayed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedReceiptView(ReceiptView):
    """What was asked for waits until this approval is granted."""

    approval: UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeView:
    title: str
    detail: str
    at: datetime | None
    tone: Tone
    shape: Shape


def receipt_notice(receipt: ReceiptView) -> NoticeView:
    applied = receipt.status == "applied"
    words = APPLIED if applied else REFUSED
    done = "asked" if isinstance(receipt, AskedReceiptView) else receipt.kind
    key = done if applied else receipt.code
    fallback = "Done." if applied else f"Not done ({receipt.code})."
    title = words.get(key, fallback)
    return NoticeView(
        title=title if applied else f"Nothing was changed. {title}",
        detail=receipt.detail,
        at=receipt.received_at,
        tone=Tone.DONE if applied else Tone.STOP,
        shape=Shape.CHECK if applied else Shape.CROSS,
    )
