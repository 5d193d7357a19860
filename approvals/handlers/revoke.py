"""Take a grant back before it is spent, or the question while it is open."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.db import transaction

from approvals import events as e
from approvals.access import role_of
from approvals.commands import RevokeApproval
from approvals.decisions import already_settled
from approvals.handlers.commanded import OnApproval, locked_approval
from approvals.models import Consumption
from approvals.projections import record_approval
from approvals.selectors import question_of
from approvals.states import APPROVAL_OPEN, ApprovalStatus, Decision, Purpose, Role
from runtime.calls import cancel, refuse
from runtime.commanded import Commanded
from runtime.commands import Actor, Answer, Refusal, Refused
from runtime.event_types import TextRef
from runtime.receipts import once_per_command_id

NOT_YOURS: Final = Refusal(
    http_status=403,
    code="not_authorized",
    detail="Only an admin, or whoever approved it while it is on hold, takes an approval back.",
)
HOLD_OVER: Final = Refusal(
    http_status=403,
    code="not_authorized",
    detail="The hold is over; only an admin can revoke the approval now.",
)


@once_per_command_id
@transaction.atomic(durable=True)
def revoke(actor: Actor, approval_id: UUID, command: RevokeApproval) -> Answer:
    """Revoke a grant; an admin cancels a pending question the same way.

    Raises Approval.DoesNotExist for one of another workspace.
    """
    locked, approval = locked_approval(actor, approval_id)
    role = role_of(actor)
    if role not in (Role.ADMIN, Role.REVIEWER):
        return Refused(refusal=NOT_YOURS)
    commanded = Commanded(
        locked=locked,
        actor=actor,
        subject=approval,
        command_id=command.command_id,
        kind="revoke",
        body={"reason": command.reason},
    )
    if earlier := commanded.earlier():
        return earlier
    note = commanded.keep(command.reason)
    refusal = _refusal(commanded, is_admin=role is Role.ADMIN)
    if refusal is None:
        _take_back(commanded, note)
    return commanded.answer(refusal, note)


def _refusal(commanded: OnApproval, *, is_admin: bool) -> Refusal | None:
    approval = commanded.subject
    if approval.status == ApprovalStatus.CONSUMED:
        return _too_late(commanded)
    if approval.status not in APPROVAL_OPEN:
        return already_settled(question_of(approval))
    return None if is_admin else _not_held(commanded)


def _too_late(commanded: OnApproval) -> Refusal:
    spent = Consumption.objects.get(approval=commanded.subject)
    return Refusal(
        http_status=409,
        code="too_late",
        detail="The approval had been used already; nothing was stopped.",
        extra={"consumed_at": spent.consumed_at.isoformat()},
    )


def _not_held(commanded: OnApproval) -> Refusal | None:
    """Say why a reviewer may not take it back, or no longer."""
    approval, person = commanded.subject, commanded.actor.person
    is_own = approval.votes.filter(person=person, decision=Decision.APPROVE).exists()
    if approval.hold_until is None or not is_own:
        return NOT_YOURS
    return HOLD_OVER if commanded.locked.now >= approval.hold_until else None


def _take_back(commanded: OnApproval, reason: TextRef | None) -> None:
    locked, approval = commanded.locked, commanded.subject
    call = approval.tool_call
    if approval.purpose == Purpose.SETTLEMENT:
        # It is used when it is granted, so what is open is a question; the call stays as it is.
        record_approval(locked, approval, e.ApprovalCancelled(code="question_cancelled"))
        return
    if approval.status == ApprovalStatus.PENDING:
        cancel(locked, call, code="question_cancelled")
        return
    record_approval(locked, approval, e.ApprovalRevoked(by=commanded.actor.name, reason=reason))
    detail = "The approval was taken back before it was used."
    refuse(locked, call, code="revoked", detail=detail, approval_id=approval.pk)
