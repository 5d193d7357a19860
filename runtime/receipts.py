"""One receipt per command: the same command again gets the same answer."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from runtime import texts
from runtime.commands import Actor, Answer, Applied, Refusal, Refused
from runtime.event_log import LockedRun
from runtime.models import Receipt

MISMATCH = Refusal(
    http_status=422,
    code="idempotency_mismatch",
    detail="This command id was used before, with another body.",
)


def body_digest(kind: str, target: UUID, body: dict[str, Any]) -> str:
    """Tell whether a command came with the same body, which may hold personal text."""
    return texts.fingerprint({"kind": kind, "target": str(target), "body": body})


def earlier_answer(actor: Actor, command_id: str, body: str) -> Answer | None:
    """Answer from the receipt, if this actor has sent this command id before."""
    receipt = Receipt.objects.filter(
        workspace=actor.workspace, actor=actor.person, command_id=command_id
    ).first()
    if receipt is None:
        return None
    if receipt.body_digest != body:
        return Refused(refusal=MISMATCH)
    return answer_of(receipt, replayed=True)


def answer_of(receipt: Receipt, *, replayed: bool = False) -> Answer:
    if receipt.status == "applied":
        return Applied(receipt=receipt, replayed=replayed)
    refusal = Refusal(
        http_status=receipt.http_status,
        code=receipt.code,
        detail=receipt.detail,
        extra=receipt.extra,
    )
    return Refused(refusal=refusal, receipt=receipt, replayed=replayed)


def write_receipt(  # noqa: PLR0913 - a receipt's columns, named by the caller
    locked: LockedRun,
    actor: Actor,
    *,
    command_id: str,
    kind: str,
    target: UUID,
    fingerprint: str,
    refusal: Refusal | None = None,
    note: UUID | None = None,
) -> Answer:
    """Record the outcome in the transaction of what the command did."""
    receipt = Receipt.objects.create(
        workspace=actor.workspace,
        actor=actor.person,
        command_id=command_id,
        kind=kind,
        target=target,
        body_digest=fingerprint,
        surface=actor.surface,
        token=actor.token,
        status="refused" if refusal else "applied",
        http_status=refusal.http_status if refusal else 200,
        code=refusal.code if refusal else "ok",
        detail=refusal.detail if refusal else "",
        extra=refusal.extra if refusal else {},
        note=note,
        event_positions=[] if refusal else locked.positions,
        received_at=locked.now,
    )
    return answer_of(receipt)
