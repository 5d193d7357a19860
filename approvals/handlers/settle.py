"""Take in what an admin says became of a call that was handed to people."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction

from approvals import events as e
from approvals.commands import SettleCall
from approvals.handlers.commanded import OnCall, by_admin
from approvals.models import Approval
from approvals.projections import record_approval
from approvals.selectors import open_approval
from approvals.settlements import request_settlement
from runtime.commanded import Commanded
from runtime.commands import Actor, Answer, Refusal
from runtime.event_types import TextRef
from runtime.events import Evidence, ToolCallSettled
from runtime.evidence import keep_evidence
from runtime.receipts import once_per_command_id
from runtime.settlements import off_the_desk, settle_by_people
from runtime.states import SettledAs


@once_per_command_id
@transaction.atomic(durable=True)
def settle(actor: Actor, call_id: UUID, command: SettleCall) -> Answer:
    """Settle a call at once as failed or not executed; as completed, ask another admin.

    Raises ToolCall.DoesNotExist for one of another workspace.
    """
    commanded = by_admin(actor, call_id, command, kind="settle")
    if not isinstance(commanded, Commanded):
        return commanded
    reason = commanded.keep(command.reason)
    if command.outcome is SettledAs.COMPLETED:
        return _ask(commanded, command, reason)
    refusal = off_the_desk(commanded.subject)
    if refusal is None:
        _settle(commanded, command, reason)
    return commanded.answer(refusal, reason)


def _settle(commanded: OnCall, command: SettleCall, reason: TextRef) -> None:
    settled = ToolCallSettled(
        outcome=command.outcome,
        by=commanded.actor.name,
        confirmed_by=None,
        approval=None,
        result_ref=command.result_ref,
        reason=reason,
        evidence=_shown(commanded, command),
    )
    settle_by_people(commanded.locked, commanded.subject, settled)


def _ask(commanded: OnCall, command: SettleCall, reason: TextRef) -> Answer:
    """That money moved is not one person's word."""
    locked, call = commanded.locked, commanded.subject
    asked = open_approval(call)
    if asked is not None and locked.now >= asked.decide_by:
        # Its timer is about to say the same.
        record_approval(locked, asked, e.ApprovalExpired(clock="decide_by"))
        asked = None
    if refusal := off_the_desk(call) or _already_asked(asked):
        return commanded.answer(refusal, reason)
    approval = request_settlement(
        locked,
        call,
        commanded.actor,
        result_ref=command.result_ref,
        reason=reason,
        evidence=_shown(commanded, command),
    )
    return commanded.answer(None, reason, asked=approval.pk)


def _shown(commanded: OnCall, command: SettleCall) -> tuple[Evidence, ...]:
    with commanded.keeping() as kept:
        return keep_evidence(kept, command.pieces)


def _already_asked(asked: Approval | None) -> Refusal | None:
    if asked is None:
        return None
    return Refusal(
        http_status=409,
        code="settlement_pending",
        detail="Another admin has been asked about this call already.",
        extra={"approval": str(asked.pk)},
    )
