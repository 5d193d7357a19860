"""What a member may do about an approval: the very reason the handler would refuse with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from approvals.models import Approval
from approvals.selectors import cannot_decide
from approvals.states import ApprovalStatus
from console.members import Member
from console.view_models.bar import Viewer
from runtime.event_log import database_now
from runtime.observations import observed_preconditions


def viewer_of(member: Member) -> Callable[[Approval], Viewer]:
    return partial(_viewer, member)


def _viewer(member: Member, approval: Approval) -> Viewer:
    if approval.status != ApprovalStatus.PENDING:
        return member.viewer
    now = database_now()
    call = approval.tool_call
    seen = observed_preconditions([call], now).get(call.pk, ())
    refusal = cannot_decide(member.actor, approval, now=now, preconditions=seen)
    if refusal is None:
        return member.viewer
    needs = " or ".join(refusal.extra.get("needs", ()))
    return replace(member.viewer, refusal=refusal.code, needs=needs)
