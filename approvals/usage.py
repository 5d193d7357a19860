"""What is used up of people's limits: locked first, then summed from the approvals."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db import connection

from approvals.authority import Usage
from approvals.models import Approval
from approvals.sums import (
    EARLIER_TODAY,
    GRANTED,
    GRANTED_BEFORE,
    GRANTED_OR_VOTED,
    TODAY,
    Kind,
    Question,
    Scope,
    Sums,
    add_up,
)
from runtime.event_log import LockedRun
from runtime.models import Run, ToolCall, Workspace

LOCK: Final = """
INSERT INTO approvals_authorityusage (workspace_id, key) SELECT %s, unnest(%s::text[])
ON CONFLICT (workspace_id, key) DO UPDATE SET key = excluded.key
"""


def lock_usage(locked: LockedRun, call: ToolCall, people: Iterable[UUID] = ()) -> None:
    """Make approvals of one order or by one person take turns from here on.

    One statement inserts or locks, in key order, so that nobody waits in a circle.
    """
    order = locked.run.order_key
    payment = f"payment:{hashlib.sha256(call.target.encode()).hexdigest()}"
    keys = [f"order:{order}" if order else payment, *(f"person:{person}" for person in people)]
    with connection.cursor() as cursor:
        cursor.execute(LOCK, [locked.run.workspace_id, sorted(keys)])


def used_by(
    person: UUID,
    approvals: Sequence[Approval],
    *,
    workspace: Workspace,
    at: datetime,
    granted_before: datetime | None = None,
) -> dict[UUID, Usage]:
    """Sum what counts against a person's limits for each approval, its own call left out.

    One query for any number whose runs and calls are loaded. `at` is when they
    vote or voted. Looking back at a vote, only what came before it counts; at the vote itself
    everything committed does, whatever its clock said.
    """
    orders = {each.pk: _order_of(each.run, each.tool_call) for each in approvals}
    asked = Question(
        workspace=workspace.pk,
        orders=orders.values(),
        calls=[each.tool_call_id for each in approvals],
        person=person,
        at=at,
        midnight=midnight(workspace.time_zone, at),
        granted_before=granted_before,
    )
    if granted_before is None:
        sums = add_up(asked, counts=GRANTED_OR_VOTED, day=TODAY)
    else:
        sums = add_up(asked, counts=GRANTED_BEFORE, day=EARLIER_TODAY)
    return {
        each.pk: Usage(
            order_minor=_but_for(each.tool_call_id, sums[orders[each.pk]]),
            day_minor=_but_for(each.tool_call_id, sums["day", kind_of(each.tool_call), ""]),
        )
        for each in approvals
    }


def order_minor(run: Run, call: ToolCall) -> int:
    """What has been granted so far for the order of this call, the call itself left out."""
    order = _order_of(run, call)
    asked = Question(workspace=call.workspace_id, orders=[order], calls=[call.pk])
    return _but_for(call.pk, add_up(asked, counts=GRANTED)[order])


def midnight(zone: str, at: datetime) -> datetime:
    """When the day that `at` belongs to began in a time zone."""
    local = at.astimezone(ZoneInfo(zone))
    return local.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)


def kind_of(call: ToolCall) -> Kind:
    return call.capability.partition("@")[0], call.currency


def _order_of(run: Run, call: ToolCall) -> Scope:
    """What a limit adds up over; where a run names no order, its payment stands for it."""
    if run.order_key is not None:
        return "order", kind_of(call), run.order_key
    return "payment", kind_of(call), call.target


def _but_for(call: UUID, sums: Sums) -> int:
    return sum(minor for own, minor in sums.items() if own != call)
