"""Take in one person's answer to a pending approval, once for every command id."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction

from approvals import events as e
from approvals.access import role_of
from approvals.admission import grant
from approvals.commands import DecideApproval
from approvals.decisions import REASON_REQUIRED, closed, not_allowed, stale
from approvals.handlers.commanded import OnApproval, locked_approval
from approvals.models import Approval
from approvals.projections import record_approval
from approvals.selectors import barriers, document, question_of, seen_by_voter
from approvals.settlements import confirm_settlement
from approvals.states import Decision, Purpose
from approvals.usage import lock_usage
from runtime.calls import authorize, refuse
from runtime.commanded import Commanded
from runtime.commands import Actor, Answer, Refusal, Refused
from runtime.event_types import TextRef
from runtime.receipts import once_per_command_id


@once_per_command_id
@transaction.atomic(durable=True)
def decide(actor: Actor, approval_id: UUID, command: DecideApproval) -> Answer:
    """Count an approval or a rejection, in the order of checks that docs/api.md gives.

    Raises Approval.DoesNotExist for one of another workspace.
    """
    locked, approval = locked_approval(actor, approval_id)
    surface, purpose = document(approval.policy).require_surface, Purpose(approval.purpose)
    if refusal := not_allowed(role_of(actor), actor.surface, surface, purpose):
        return Refused(refusal=refusal)
    if command.decision is Decision.REJECT and command.reason_code is None:
        return Refused(refusal=REASON_REQUIRED)
    commanded = Commanded(
        locked=locked,
        actor=actor,
        subject=approval,
        command_id=command.command_id,
        kind=command.decision,
        body=command.model_dump(mode="json", exclude={"command_id"}),
    )
    if earlier := commanded.earlier():
        return earlier
    note = commanded.keep(command.note)
    refusal = _refusal(commanded, command)
    if refusal is None:
        with locked.together():
            _vote(commanded, command, note)
    return commanded.answer(refusal, note)


def _refusal(commanded: OnApproval, command: DecideApproval) -> Refusal | None:
    locked, approval = commanded.locked, commanded.subject
    question = question_of(approval)
    if refusal := closed(question, locked.now) or stale(question, command):
        return refusal
    lock_usage(locked, approval.tool_call, [commanded.actor.person.pk])
    found = barriers(commanded.actor, [approval], now=locked.now)
    return found[approval.pk][command.decision]


def _vote(commanded: OnApproval, command: DecideApproval, note: TextRef | None) -> None:
    locked, approval = commanded.locked, commanded.subject
    voted = e.ApprovalVoted(
        person=commanded.actor.person.pk,
        decision=command.decision,
        reason_code=command.reason_code,
        note=note,
        command_id=command.command_id,
        surface=commanded.actor.surface,
        token=commanded.actor.token,
        seen=seen_by_voter(locked, approval),
    )
    record_approval(locked, approval, voted)
    if command.decision is Decision.REJECT:
        _reject(commanded, command)
    elif _is_enough(approval):
        _grant(commanded)


def _is_enough(approval: Approval) -> bool:
    """Count the approvals, the one just given included."""
    votes = approval.votes.filter(decision=Decision.APPROVE)
    return approval.needed == 1 or bool(votes.count() >= approval.needed)


def _grant(commanded: OnApproval) -> None:
    locked, approval, by = commanded.locked, commanded.subject, commanded.actor.name
    match Purpose(approval.purpose):
        case Purpose.EFFECT:
            not_before = grant(locked, approval, by=by)
            call = approval.tool_call
            authorize(locked, call, not_before=not_before, approval_id=approval.pk)
        case Purpose.SETTLEMENT:
            confirm_settlement(locked, approval, by=by)


def _reject(commanded: OnApproval, command: DecideApproval) -> None:
    """One veto is enough, whoever approved before."""
    locked, approval = commanded.locked, commanded.subject
    record_approval(locked, approval, e.ApprovalRejected(by=commanded.actor.name))
    if approval.purpose == Purpose.SETTLEMENT:
        # Nothing is known for certain yet: the call stays on the desk.
        return
    refuse(
        locked,
        approval.tool_call,
        code="rejected",
        detail=f"A reviewer rejected it: {command.reason_code}.",
        approval_id=approval.pk,
    )
