"""The provider's objects as Stripe writes them, and the ids that may be expanded in place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from runtime.sandbox.errors import InvalidParamsError
from runtime.sandbox.ledger import Payment, Refund, find_payment, payment_of
from runtime.sandbox.store import Store

Json = dict[str, Any]
EXPANDABLE = frozenset({"charge", "latest_charge", "payment_intent"})


def payment_intent(payment: Payment) -> Json:
    return {
        "id": payment.payment_intent,
        "object": "payment_intent",
        "amount": payment.amount,
        "amount_capturable": 0,
        "amount_received": payment.amount,
        "capture_method": "automatic",
        "created": payment.created,
        "currency": payment.currency,
        "customer": None,
        "description": payment.description,
        "latest_charge": payment.charge,
        "livemode": False,
        "metadata": payment.metadata,
        "payment_method_types": ["card"],
        "status": "succeeded",
    }


def charge(payment: Payment) -> Json:
    return {
        "id": payment.charge,
        "object": "charge",
        "amount": payment.amount,
        "amount_captured": payment.amount,
        "amount_refunded": payment.amount_refunded,
        "balance_transaction": None,
        "captured": True,
        "created": payment.created,
        "currency": payment.currency,
        "customer": None,
        "description": payment.description,
        "disputed": payment.disputed,
        "livemode": False,
        "metadata": payment.metadata,
        "paid": True,
        "payment_intent": payment.payment_intent,
        "refunded": payment.remaining == 0,
        "status": "succeeded",
    }


def refund(row: Refund, payment: Payment) -> Json:
    return {
        "id": row.id,
        "object": "refund",
        "amount": row.amount,
        "balance_transaction": None,
        "charge": row.charge,
        "created": row.created,
        "currency": payment.currency,
        "failure_reason": row.failure_reason,
        "metadata": row.metadata,
        "payment_intent": payment.payment_intent,
        "reason": row.reason,
        "receipt_number": None,
        "status": row.status,
    }


def refund_with_payment(store: Store, row: Refund) -> Json:
    return refund(row, payment_of(store, row.charge))


def expand(store: Store, body: Json, paths: Iterable[str]) -> Json:
    """Replace ids by their objects, along paths such as `latest_charge` or `data.charge`."""
    for path in paths:
        _expand(store, body, path)
    return body


def _expand(store: Store, body: Json, path: str) -> None:
    head, _, rest = path.partition(".")
    if head == "data" and rest and body.get("object") == "list":
        for item in body["data"]:
            _expand(store, item, rest)
        return
    if head not in EXPANDABLE or head not in body:
        message = f"This property cannot be expanded ({path[:100]})."
        raise InvalidParamsError(400, message, param="expand")
    if isinstance(body[head], str):
        payment = find_payment(store, body[head])
        if payment is not None:
            body[head] = payment_intent(payment) if head == "payment_intent" else charge(payment)
    if rest and body[head] is not None:
        _expand(store, body[head], rest)
