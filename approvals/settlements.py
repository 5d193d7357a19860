"""Ask a second admin whether a call was executed, and act on their yes."""

from __future__ import annotations

from datetime import timedelta
from typing import Final, cast

from approvals import events as e
from approvals.access import hands_of
from approvals.admission import what_is_asked
from approvals.models import Approval, Consumption
from approvals.projections import record_approval
from approvals.selectors import conflict_set, document
from runtime.canonical import digest
from runtime.commands import Actor
from runtime.event_log import LockedRun, recorded
from runtime.event_types import TextRef
from runtime.events import Evidence, ToolCallSettled
from runtime.models import Event, ToolCall
from runtime.settlements import settle_by_people
from runtime.states import SettledAs

# Whoever proposes it is the first to say so; one more has to.
NEEDED: Final = 1


def request_settlement(
    locked: LockedRun,
    call: ToolCall,
    proposer: Actor,
    *,
    result_ref: str | None,
    reason: TextRef,
    evidence: tuple[Evidence, ...],
) -> Approval:
    """Ask under the policy by which the call left; nobody behind the run may answer."""
    spent = Consumption.objects.select_related("approval__policy").filter(tool_call=call)
    left_by = spent.earliest("consumed_at").approval
    policy = left_by.policy
    approval = Approval(
        workspace_id=call.workspace_id,
        run=locked.run,
        tool_call=call,
        policy=policy,
        policy_decision_id=left_by.policy_decision_id,
    )
    requested = e.SettlementRequested(
        **what_is_asked(call, policy),
        digest=_digest(call, proposer, result_ref, reason, evidence),
        needed=NEEDED,
        decide_by=locked.now + timedelta(seconds=document(policy).decide_within_s),
        conflicts=conflict_set(locked, call, policy, settled_by=hands_of(proposer)),
        by=proposer.name,
        result_ref=result_ref,
        reason=reason,
        evidence=evidence,
    )
    record_approval(locked, approval, requested)
    return approval


def confirm_settlement(locked: LockedRun, approval: Approval, *, by: str) -> None:
    """Grant and use the approval in one go: a settlement never waits for its spending."""
    granted = e.ApprovalGranted(by=by, use_by=locked.now, hold_until=None)
    record_approval(locked, approval, granted)
    record_approval(locked, approval, e.ApprovalConsumed())
    asked = _requested(approval)
    settled = ToolCallSettled(
        outcome=SettledAs.COMPLETED,
        by=asked.by,
        confirmed_by=by,
        approval=approval.pk,
        result_ref=asked.result_ref,
        reason=asked.reason,
        evidence=asked.evidence,
    )
    settle_by_people(locked, approval.tool_call, settled)


def _requested(approval: Approval) -> e.SettlementRequested:
    """The row knows whose words they are; only the fact has their digests."""
    kind = e.SettlementRequested.event_type
    row = Event.objects.get(run=approval.run_id, approval_id=approval.pk, event_type=kind)
    return cast(e.SettlementRequested, recorded(row).payload)


def _digest(
    call: ToolCall,
    proposer: Actor,
    result_ref: str | None,
    reason: TextRef,
    evidence: tuple[Evidence, ...],
) -> str:
    """Bind the answer to what is said, by whom, of which effect, and on what evidence."""
    return digest(
        {
            "settle": str(call.pk),
            "effect": call.digest,
            "outcome": SettledAs.COMPLETED,
            "by": proposer.name,
            "result_ref": result_ref,
            "reason": reason.model_dump(mode="json"),
            "evidence": [piece.model_dump(mode="json") for piece in evidence],
        }
    )
