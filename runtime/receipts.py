"""One receipt per command: the same command again gets the same answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import wraps
from typing import Any, ParamSpec, Protocol
from uuid import UUID

from runtime.commands import Actor, Answer, Applied, Refusal, Refused
from runtime.constraints import CommandIdTakenError, rules_named
from runtime.fingerprints import fingerprint
from runtime.models import Receipt

# Taken in, and waiting for somebody else's word.
ASKED = 202
P = ParamSpec("P")

MISMATCH = Refusal(http_status=422, code="idempotency_mismatch", detail=str(CommandIdTakenError()))


class Locked(Protocol):
    """What a command holds while it is carried out: a run, or a workspace."""

    @property
    def now(self) -> datetime: ...
    @property
    def positions(self) -> Sequence[int]: ...


def once_per_command_id(handler: Callable[P, Answer]) -> Callable[P, Answer]:
    """Answer a mismatch where the same id was used on something else at the same moment."""

    @wraps(handler)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> Answer:
        try:
            with rules_named():
                return handler(*args, **kwargs)
        except CommandIdTakenError:
            return Refused(refusal=MISMATCH)

    return guarded


def body_digest(kind: str, target: UUID, body: dict[str, Any]) -> str:
    """Tell whether a command came with the same body, which may hold personal text."""
    return fingerprint({"kind": kind, "target": str(target), "body": body})


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
    locked: Locked,
    actor: Actor,
    *,
    command_id: str,
    kind: str,
    target: UUID,
    fingerprint: str,
    refusal: Refusal | None = None,
    note: UUID | None = None,
    asked: UUID | None = None,
) -> Answer:
    """Record the outcome in the transaction of what the command did.

    `asked`: the approval without which what was asked for does not happen.
    """
    applied = (200, {}) if asked is None else (ASKED, {"approval": str(asked)})
    http_status, extra = (refusal.http_status, refusal.extra) if refusal else applied
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
        http_status=http_status,
        code=refusal.code if refusal else "ok",
        detail=refusal.detail if refusal else "",
        extra=extra,
        note=note,
        event_positions=[] if refusal else list(locked.positions),
        received_at=locked.now,
    )
    return answer_of(receipt)
