"""Answer the runtime's four questions: may it go, may it leave now, what if it changes or ends."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from django.db.models import DateTimeField, Func

from approvals import admission
from approvals import events as e
from approvals.models import Approval
from approvals.projections import record_approval
from approvals.revalidation import objection
from approvals.selectors import open_approval
from approvals.states import ApprovalStatus
from runtime.event_log import LockedRun
from runtime.gates import Admission, Changed, CloseReason, Spending, Spent, Waiting
from runtime.models import ToolCall

CLOCK: Final = Func(function="clock_timestamp", output_field=DateTimeField())
NO_GRANT: Final = Changed(code="no_grant", detail="There is no grant to spend.")


class ApprovalGate:
    """Implements runtime.gates.Gate."""

    def admit(self, locked: LockedRun, call: ToolCall) -> Admission:
        return admission.admit(_as_gate(locked), call, instead_of=None)

    def revise(self, locked: LockedRun, call: ToolCall) -> Admission:
        return admission.admit(_as_gate(locked), call, instead_of=open_approval(call))

    def close(self, locked: LockedRun, call: ToolCall, reason: CloseReason) -> None:
        if approval := open_approval(call):
            record_approval(_as_gate(locked), approval, e.ApprovalCancelled(code=reason))

    def spend(self, locked: LockedRun, call: ToolCall) -> Spending:
        locked = _as_gate(locked)
        approval = open_approval(call)
        if approval is None or approval.status != ApprovalStatus.GRANTED:
            return NO_GRANT
        if approval.use_by is None or locked.now >= approval.use_by:
            return _run_out(locked, approval)
        if approval.hold_until is not None and locked.now < approval.hold_until:
            return Waiting(code="hold", until=approval.hold_until)
        match objection(locked, call, approval):
            case None:
                return _spend(locked, approval)
            case Waiting() as waiting:
                return waiting
            case changed:
                why = e.ApprovalInvalidated(code=changed.code, detail=changed.detail)
                record_approval(locked, approval, why)
                return changed


def _spend(locked: LockedRun, approval: Approval) -> Spent | Changed:
    """Use a grant up, unless another transaction or the clock was quicker."""
    spendable = Approval.objects.filter(
        pk=approval.pk, status=ApprovalStatus.GRANTED, use_by__gt=CLOCK
    )
    if not spendable.update(status=ApprovalStatus.CONSUMED):
        approval.refresh_from_db(fields=["status"])
        granted = approval.status == ApprovalStatus.GRANTED
        return _run_out(locked, approval) if granted else NO_GRANT
    record_approval(locked, approval, e.ApprovalConsumed())
    return Spent(approval_id=approval.pk)


def _run_out(locked: LockedRun, approval: Approval) -> Changed:
    record_approval(locked, approval, e.ApprovalExpired(clock="use_by"))
    return Changed(code="expired", detail="The grant was not used in time.")


def _as_gate(locked: LockedRun) -> LockedRun:
    """The same locked run, with the gate as the part of the system that speaks."""
    return replace(locked, cause=replace(locked.cause, producer="approvals"))
