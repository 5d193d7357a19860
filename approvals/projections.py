"""Keep approval rows, votes, consumptions and their timer equal to the facts."""

from __future__ import annotations

from approvals import events as e
from approvals.models import Approval, Consumption, Vote
from approvals.reducers import ApprovalState, reduce_approval
from approvals.states import ApprovalStatus
from runtime.event_log import LockedRun
from runtime.event_types import Ids, Payload, Recorded
from runtime.projections import state_before, write_state
from runtime.timers import clear_timer, set_timer

EXPIRE = "approval.expire"


def record_approval(locked: LockedRun, approval: Approval, payload: Payload) -> Recorded:
    """Append a fact about an approval and bring its rows up to date, in one transaction."""
    led_here = approval.last_event or approval.tool_call.last_event
    fact = locked.append(payload, _ids(approval, payload), after=led_here)
    before = state_before(ApprovalState, approval)
    after = reduce_approval(before, fact)
    if after != before:
        write_state(locked, approval, after)
        keep_timer(locked, approval)
    match payload:
        case e.ApprovalVoted():
            _add_vote(approval, payload, fact)
        case e.ApprovalConsumed():
            Consumption.objects.create(
                approval=approval, tool_call=approval.tool_call, consumed_at=fact.occurred_at
            )
        case _:
            pass
    return fact


def keep_timer(locked: LockedRun, approval: Approval) -> None:
    """An open approval is looked at when its clock runs out; a settled one never again."""
    deadline = {
        ApprovalStatus.PENDING: approval.decide_by,
        ApprovalStatus.GRANTED: approval.use_by,
    }.get(ApprovalStatus(approval.status))
    if deadline is None:
        clear_timer(EXPIRE, subject=approval.pk)
    else:
        set_timer(EXPIRE, run=locked.run, subject=approval.pk, due_at=deadline)


def _ids(approval: Approval, payload: Payload) -> Ids:
    call = approval.tool_call
    return Ids(
        # A question has the arguments of its call, wherever these are.
        artifact_id=call.artifact if isinstance(payload, e.Request) else None,
        turn_id=call.turn_id,
        capability_id=call.capability,
        policy_decision_id=approval.policy_decision_id,
        approval_id=approval.pk,
        tool_call_id=call.pk,
    )


def _add_vote(approval: Approval, voted: e.ApprovalVoted, fact: Recorded) -> None:
    Vote.objects.create(
        approval=approval,
        person_id=voted.person,
        decision=voted.decision,
        reason_code=voted.reason_code,
        note=voted.note.id if voted.note else None,
        cast_at=fact.occurred_at,
    )
