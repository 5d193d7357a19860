"""Add up what was approved, for an order, a payment or somebody's day, in one statement."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal
from uuid import UUID

from django.db import connection

from approvals.states import ApprovalStatus
from runtime.states import CALL_WITHOUT_EFFECT

# The capability's name and the currency: what a limit is for.
Kind = tuple[str, str]
# What is added up over: an order by its key, a payment by its target, a day by nothing.
Scope = tuple[Literal["order", "payment", "day"], Kind, str]
# Minor units by the call they are for, of the calls asked about; all others' under None.
Sums = Counter[UUID | None]

STANDING: Final = (ApprovalStatus.GRANTED, ApprovalStatus.CONSUMED)
VOTE: Final = """
    EXISTS (SELECT FROM approvals_vote AS vote WHERE vote.approval_id = approval.id
        AND vote.person_id = %(person)s AND vote.decision = 'approve'{when})
"""
GRANTED: Final = "approval.status = ANY(%(standing)s)"
GRANTED_BEFORE: Final = f"{GRANTED} AND approval.granted_at < %(granted_before)s"
GRANTED_OR_VOTED: Final = f"({GRANTED} OR approval.status = 'pending' AND {VOTE.format(when='')})"
TODAY: Final = VOTE.format(when=" AND vote.cast_at >= %(midnight)s")
EARLIER_TODAY: Final = VOTE.format(
    when=" AND vote.cast_at >= %(midnight)s AND vote.cast_at < %(at)s"
)
# Only approvals of effects whose calls may have moved money, or still may.
PART: Final = """
SELECT '{what}', split_part(call.capability, '@', 1), approval.currency, {key},
    CASE WHEN call.id = ANY(%(calls)s) THEN call.id END, sum(approval.amount_minor)
FROM approvals_approval AS approval
JOIN runtime_toolcall AS call ON call.id = approval.tool_call_id
JOIN runtime_run AS run ON run.id = approval.run_id
WHERE approval.workspace_id = %(workspace)s AND approval.purpose = 'effect'
    AND call.execution_status <> ALL(%(without_effect)s) AND {counted}
GROUP BY 1, 2, 3, 4, 5
"""
# The index of runs by order begins with their workspace.
ORDERS: Final = PART.format(
    what="order",
    key="run.order_key",
    counted="run.workspace_id = %(workspace)s AND run.order_key = ANY(%(orders)s) AND {counts}",
)
PAYMENTS: Final = PART.format(
    what="payment",
    key="approval.target",
    counted="run.order_key IS NULL AND approval.target = ANY(%(payments)s) AND {counts}",
)
DAY: Final = PART.format(what="day", key="''", counted=f"{{day}} AND {GRANTED_OR_VOTED}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """`orders`: the orders and payments to add up; `calls`: those that are asked about.

    `person`: whose votes count, as they vote, or as they voted `at` a time.
    """

    workspace: UUID
    orders: Collection[Scope]
    calls: Collection[UUID]
    person: UUID | None = None
    at: datetime | None = None
    midnight: datetime | None = None
    granted_before: datetime | None = None


def add_up(asked: Question, *, counts: str, day: str | None = None) -> defaultdict[Scope, Sums]:
    """`counts`: what counts for an order or payment; `day`: the votes that count for a day."""
    orders = [key for what, _, key in asked.orders if what == "order"]
    payments = [key for what, _, key in asked.orders if what == "payment"]
    parts = [
        *([ORDERS.format(counts=counts)] if orders else ()),
        *([PAYMENTS.format(counts=counts)] if payments else ()),
        *([DAY.format(day=day)] if day else ()),
    ]
    params: dict[str, Any] = {
        "workspace": asked.workspace,
        "orders": orders,
        "payments": payments,
        "calls": list(asked.calls),
        "person": asked.person,
        "at": asked.at,
        "midnight": asked.midnight,
        "granted_before": asked.granted_before,
        "standing": list(STANDING),
        "without_effect": sorted(CALL_WITHOUT_EFFECT),
    }
    found: defaultdict[Scope, Sums] = defaultdict(Counter)
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(parts), params)
        for what, capability, currency, key, call, minor in cursor.fetchall():
            found[what, (capability, currency), key][call] += int(minor)
    return found
