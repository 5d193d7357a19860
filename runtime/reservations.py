"""What dispatched calls may still take from a payment, so that two never take the same."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Final, NamedTuple
from uuid import UUID

from django.db import connection

from runtime.models import Reservation, ToolCall
from runtime.providers.facts import PaymentFacts

# One statement that makes the row or locks it.
LOCK: Final = """
INSERT INTO runtime_payment (workspace_id, target) VALUES (%s, %s)
ON CONFLICT (workspace_id, target) DO UPDATE SET target = excluded.target
"""
INTO_PAYMENT: Final = """
INSERT INTO runtime_reservation (tool_call_id, amount_minor, payment_id)
SELECT %s, %s, id FROM payment
"""
RESERVED: Final = """
SELECT payment.workspace_id, payment.target, tool_call_id, reserved.amount_minor,
    external_request_id, accepted_at
FROM runtime_reservation AS reserved
JOIN runtime_payment AS payment ON payment.id = payment_id
JOIN runtime_toolcall AS call ON call.id = tool_call_id
WHERE released_at IS NULL AND payment.workspace_id = ANY(%s) AND payment.target = ANY(%s)
"""
RESERVE: Final = f"WITH payment AS ({LOCK} RETURNING id) {INTO_PAYMENT}"


class Reserved(NamedTuple):
    """What a call may still take from its payment, and what tells whether it has."""

    workspace: UUID
    target: str
    tool_call: UUID
    amount_minor: int
    external_request_id: str | None
    accepted_at: datetime | None


def lock_payment(call: ToolCall) -> None:
    """Make the calls on one payment take turns until the transaction ends; the last lock."""
    with connection.cursor() as cursor:
        cursor.execute(LOCK, [call.workspace_id, call.target])


def reserve_for(call: ToolCall) -> None:
    """Set a call's amount aside; it stays so until nothing can have been taken."""
    with connection.cursor() as cursor:
        cursor.execute(RESERVE, [call.workspace_id, call.target, call.pk, call.amount_minor])


def release(call: ToolCall, now: datetime) -> None:
    Reservation.objects.filter(tool_call=call, released_at=None).update(released_at=now)


def open_reservations(calls: Collection[ToolCall]) -> list[Reserved]:
    """Answer what is reserved, by whichever call, on the payments of these calls."""
    workspaces = list({call.workspace_id for call in calls})
    with connection.cursor() as cursor:
        cursor.execute(RESERVED, [workspaces, list({call.target for call in calls})])
        return [Reserved(*row) for row in cursor.fetchall()]


def reserved_minor(
    call: ToolCall, found: Iterable[Reserved], facts: PaymentFacts, as_of: datetime
) -> int:
    """Sum what other calls have reserved and these facts do not show as taken."""
    return sum(
        each.amount_minor
        for each in found
        if (each.workspace, each.target) == (call.workspace_id, call.target)
        and each.tool_call != call.pk
        and not _is_shown(each, facts, as_of)
    )


def _is_shown(other: Reserved, facts: PaymentFacts, as_of: datetime) -> bool:
    if facts.complete:
        return other.external_request_id in facts.references
    # No list to find it in: the provider's own sum has it once the provider had it.
    return other.accepted_at is not None and other.accepted_at < as_of
