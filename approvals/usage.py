"""What is used up of people's limits: locked first, then summed from the approvals."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import datetime
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db.models import Exists, OuterRef, Q, QuerySet, Sum

from approvals.authority import Usage
from approvals.models import Approval, AuthorityUsage, Vote
from approvals.states import ApprovalStatus, Decision
from runtime.event_log import LockedRun
from runtime.models import ToolCall
from runtime.states import CALL_WITHOUT_EFFECT

STANDING = (ApprovalStatus.GRANTED, ApprovalStatus.CONSUMED)


def lock_usage(locked: LockedRun, call: ToolCall, people: Iterable[UUID] = ()) -> None:
    """Make approvals of one order or by one person take turns from here on.

    One statement inserts or locks, in key order, so that nobody waits in a circle.
    """
    order = locked.run.order_key
    payment = f"payment:{hashlib.sha256(call.target.encode()).hexdigest()}"
    keys = [f"order:{order}" if order else payment, *(f"person:{person}" for person in people)]
    workspace = locked.run.workspace_id
    AuthorityUsage.objects.bulk_create(
        [AuthorityUsage(workspace_id=workspace, key=key) for key in sorted(keys)],
        update_conflicts=True,
        unique_fields=["workspace", "key"],
        update_fields=["key"],
    )


def used_by(
    call: ToolCall, person: UUID, *, at: datetime, granted_before: datetime | None = None
) -> Usage:
    """Sum what counts against a person's limits for this call, the call itself left out.

    `at` is when they vote or voted. Looking back at a vote, only what came before it counts;
    at the vote itself everything committed does, whatever its clock said.
    """
    votes = Vote.objects.filter(
        approval=OuterRef("pk"), person_id=person, decision=Decision.APPROVE
    )
    today = votes.filter(cast_at__gte=midnight(call.workspace.time_zone, at))
    theirs = Q(Exists(votes), status=ApprovalStatus.PENDING)
    granted = Q(status__in=STANDING)
    if granted_before is None:
        order = granted | theirs
    else:
        order = granted & Q(granted_at__lt=granted_before)
        today = today.filter(cast_at__lt=at)
    return Usage(
        order_minor=_order_total(call, order),
        day_minor=_total(_counted(call).filter(granted | theirs).filter(Exists(today))),
    )


def order_minor(call: ToolCall) -> int:
    """What has been granted so far for this call's order."""
    return _order_total(call, Q(status__in=STANDING))


def midnight(zone: str, at: datetime) -> datetime:
    """When the day that `at` belongs to began in a time zone."""
    local = at.astimezone(ZoneInfo(zone))
    return local.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)


def _order_total(call: ToolCall, standing: Q) -> int:
    """Sum the order; where a run names none, its payment stands for it."""
    order = call.run.order_key
    scope = Q(run__order_key=order) if order else Q(run__order_key=None, target=call.target)
    return _total(_counted(call).filter(standing & scope))


def _counted(call: ToolCall) -> QuerySet[Approval]:
    """Approvals whose calls may have moved money, or still may."""
    name = call.capability.partition("@")[0]
    return (
        Approval.objects.filter(
            workspace_id=call.workspace_id,
            currency=call.currency,
            tool_call__capability__startswith=f"{name}@",
        )
        .exclude(tool_call=call)
        .exclude(tool_call__execution_status__in=CALL_WITHOUT_EFFECT)
    )


def _total(approvals: QuerySet[Approval]) -> int:
    total: int | None = approvals.aggregate(total=Sum("amount_minor"))["total"]
    return total or 0
