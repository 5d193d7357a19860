"""What is used up of people's limits: locked first, then summed from the approvals."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db.models import Case, Exists, F, OuterRef, Q, QuerySet, Sum, When

from approvals.authority import Usage
from approvals.models import Approval, AuthorityUsage, Vote
from approvals.states import ApprovalStatus, Decision, Purpose
from runtime.event_log import LockedRun
from runtime.models import Run, ToolCall, Workspace
from runtime.states import CALL_WITHOUT_EFFECT

STANDING = (ApprovalStatus.GRANTED, ApprovalStatus.CONSUMED)

# The capability's name and the currency: what a limit is for.
Kind = tuple[str, str]
# Minor units by the call they are for, of the calls asked about; all others' under None.
Sums = Counter[UUID | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What a limit adds up over; where a run names no order, its payment stands for it."""

    kind: Kind
    order_key: str | None
    payment: str | None


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
    person: UUID,
    approvals: Sequence[Approval],
    *,
    workspace: Workspace,
    at: datetime,
    granted_before: datetime | None = None,
) -> dict[UUID, Usage]:
    """Sum what counts against a person's limits for each approval, its own call left out.

    At most three queries for any number whose runs and calls are loaded. `at` is when they
    vote or voted. Looking back at a vote, only what came before it counts; at the vote itself
    everything committed does, whatever its clock said.
    """
    votes = Vote.objects.filter(
        approval=OuterRef("pk"), person_id=person, decision=Decision.APPROVE
    )
    today = votes.filter(cast_at__gte=midnight(workspace.time_zone, at))
    granted = Q(status__in=STANDING)
    either = granted | Q(Exists(votes), status=ApprovalStatus.PENDING)
    if granted_before is None:
        order = either
    else:
        order = granted & Q(granted_at__lt=granted_before)
        today = today.filter(cast_at__lt=at)
    calls = {each.tool_call_id for each in approvals}
    orders = {each.pk: _order_of(each.run, each.tool_call) for each in approvals}
    counted = _counted(workspace.pk)
    by_order = _by_order(counted.filter(order), orders.values(), calls)
    by_day = _by_kind(counted.filter(either).filter(Exists(today)), calls)
    return {
        each.pk: Usage(
            order_minor=_but_for(each.tool_call_id, by_order[orders[each.pk]]),
            day_minor=_but_for(each.tool_call_id, by_day[kind_of(each.tool_call)]),
        )
        for each in approvals
    }


def order_minor(run: Run, call: ToolCall) -> int:
    """What has been granted so far for the order of this call, the call itself left out."""
    order = _order_of(run, call)
    granted = _counted(call.workspace_id).filter(status__in=STANDING)
    return _but_for(call.pk, _by_order(granted, [order], [call.pk])[order])


def midnight(zone: str, at: datetime) -> datetime:
    """When the day that `at` belongs to began in a time zone."""
    local = at.astimezone(ZoneInfo(zone))
    return local.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)


def kind_of(call: ToolCall) -> Kind:
    return call.capability.partition("@")[0], call.currency


def _order_of(run: Run, call: ToolCall) -> Order:
    key = run.order_key
    return Order(kind=kind_of(call), order_key=key, payment=None if key else call.target)


def _counted(workspace: UUID) -> QuerySet[Approval]:
    """Approvals of effects whose calls may have moved money, or still may."""
    return Approval.objects.filter(workspace=workspace, purpose=Purpose.EFFECT).exclude(
        tool_call__execution_status__in=CALL_WITHOUT_EFFECT
    )


def _by_order(
    approvals: QuerySet[Approval], orders: Collection[Order], calls: Collection[UUID]
) -> defaultdict[Order, Sums]:
    """Sum the orders; where there is none of a sort, nothing is asked for it."""
    keys = {each.order_key for each in orders if each.order_key}
    payments = {each.payment for each in orders if each.payment}
    # The index of runs by order begins with their workspace.
    named = Q(run__workspace=F("workspace"), run__order_key__in=keys)
    paid = Q(run__order_key=None, target__in=payments)
    sums: defaultdict[Order, Sums] = defaultdict(Counter)
    for scope in (named, paid):
        grouped = _grouped(approvals.filter(scope), calls, "run__order_key", "target")
        for kind, (key, target), own, minor in grouped:
            order = Order(kind=kind, order_key=key, payment=None if key else target)
            sums[order][own] += minor
    return sums


def _by_kind(approvals: QuerySet[Approval], calls: Collection[UUID]) -> defaultdict[Kind, Sums]:
    sums: defaultdict[Kind, Sums] = defaultdict(Counter)
    for kind, _, own, minor in _grouped(approvals, calls):
        sums[kind][own] += minor
    return sums


def _grouped(
    approvals: QuerySet[Approval], calls: Collection[UUID], *columns: str
) -> Iterator[tuple[Kind, tuple[Any, ...], UUID | None, int]]:
    own = Case(When(tool_call__in=calls, then="tool_call"))
    rows = approvals.annotate(own=own).values_list(
        "tool_call__capability", "currency", *columns, "own"
    )
    for capability, currency, *more, call, minor in rows.annotate(Sum("amount_minor")):
        yield (capability.partition("@")[0], currency), tuple(more), call, minor


def _but_for(call: UUID, sums: Sums) -> int:
    return sum(minor for own, minor in sums.items() if own != call)
