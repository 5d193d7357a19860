"""Let an approval run out when its clock does. Nothing expires into a yes."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from django.db import transaction

from approvals import events as e
from approvals.models import Approval
from approvals.projections import EXPIRE, keep_timer, record_approval
from approvals.states import APPROVAL_OPEN, ApprovalStatus, Purpose
from runtime.calls import refuse
from runtime.event_log import Cause, LockedRun, lock_run_of
from runtime.sweeps import Found, sweeps, without_timer
from runtime.timers import on

Clock = Literal["decide_by", "use_by"]
TOO_LATE = {
    "decide_by": "Nobody decided in time.",
    "use_by": "The grant was not used in time.",
}


@on(EXPIRE)
@transaction.atomic(durable=True)
def expire(approval_id: UUID) -> None:
    """Settle the approval if a clock of it ran out; set or clear its timer if not."""
    locked = lock_run_of(Approval, approval_id, cause=Cause(producer="approvals"))
    approval = Approval.objects.select_related("tool_call").get(pk=approval_id)
    clock = _clock_run_out(locked, approval)
    if clock is None:
        keep_timer(locked, approval)
        return
    record_approval(locked, approval, e.ApprovalExpired(clock=clock))
    if approval.purpose == Purpose.SETTLEMENT:
        # Nobody agreed in time: the call stays on the desk.
        return
    refuse(
        locked,
        approval.tool_call,
        code="expired",
        detail=TOO_LATE[clock],
        approval_id=approval.pk,
    )


@sweeps("open approvals", EXPIRE)
def approvals_open() -> Found:
    still_open = Approval.objects.filter(status__in=sorted(APPROVAL_OPEN))
    return without_timer(EXPIRE, still_open).order_by().values_list("pk", "run_id")


def _clock_run_out(locked: LockedRun, approval: Approval) -> Clock | None:
    now = locked.now
    if approval.status == ApprovalStatus.PENDING and now >= approval.decide_by:
        return "decide_by"
    granted = approval.status == ApprovalStatus.GRANTED and approval.use_by is not None
    return "use_by" if granted and approval.use_by is not None and now >= approval.use_by else None
