"""What a member may do about approvals: the very reasons the handler would refuse with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from approvals.models import Approval
from approvals.selectors import Barriers, refusals
from approvals.states import ApprovalStatus, Decision
from console.members import Member
from console.view_models.bar import Viewer
from runtime.event_log import database_now


def viewers_of(member: Member, approvals: Sequence[Approval]) -> dict[UUID, Viewer]:
    """Answer the member as who looks at each approval, in as many queries for all as for one."""
    pending = [each for each in approvals if each.status == ApprovalStatus.PENDING]
    found = refusals(member.actor, pending, now=database_now())
    return {each.pk: _viewer(member.viewer, found.get(each.pk, {})) for each in approvals}


def _viewer(viewer: Viewer, barriers: Barriers) -> Viewer:
    may_reject = barriers.get(Decision.REJECT) is None
    refusal = barriers.get(Decision.APPROVE)
    if refusal is None:
        return replace(viewer, may_reject=may_reject)
    return replace(
        viewer,
        refusal=refusal.code,
        needs=" or ".join(refusal.extra.get("needs", ())),
        broken=refusal.detail if refusal.code == "precondition_failed" else "",
        may_reject=may_reject,
    )
