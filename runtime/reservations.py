"""What dispatched calls may still take from a payment, so that two never take the same."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from runtime.models import Payment, Reservation, ToolCall
from runtime.providers.facts import PaymentFacts


def lock_payment(call: ToolCall) -> Payment:
    """Make the calls on one payment take turns until the transaction ends; the last lock."""
    locking = Payment.objects.select_for_update(no_key=True).filter(
        workspace_id=call.workspace_id, target=call.target
    )
    found = locking.first()
    if found is None:
        Payment.objects.get_or_create(workspace_id=call.workspace_id, target=call.target)
        found = locking.get()
    return found


def reserve_for(call: ToolCall) -> None:
    """Set a call's amount aside; it stays so until nothing can have been taken."""
    payment = lock_payment(call)
    Reservation.objects.create(tool_call=call, payment=payment, amount_minor=call.amount_minor)


def release(call: ToolCall, now: datetime) -> None:
    Reservation.objects.filter(tool_call=call, released_at=None).update(released_at=now)


def open_reservations(calls: Iterable[ToolCall]) -> list[Reservation]:
    """Answer what is reserved, by whichever call, on the payments of these calls."""
    targets = {call.target for call in calls}
    found = Reservation.objects.filter(released_at=None, payment__target__in=targets)
    return list(found.select_related("payment", "tool_call"))


def reserved_minor(
    call: ToolCall, found: Iterable[Reservation], facts: PaymentFacts, as_of: datetime
) -> int:
    """Sum what other calls have reserved and these facts do not show as taken."""
    return sum(
        each.amount_minor
        for each in found
        if (each.payment.workspace_id, each.payment.target) == (call.workspace_id, call.target)
        and each.tool_call_id != call.pk
        and not _is_shown(each.tool_call, facts, as_of)
    )


def _is_shown(other: ToolCall, facts: PaymentFacts, as_of: datetime) -> bool:
    if facts.complete:
        return other.external_request_id in facts.references
    # No list to find it in: the provider's own sum has it once the provider had it.
    return other.accepted_at is not None and other.accepted_at < as_of
