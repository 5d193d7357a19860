"""The provider's books: captured payments, and the refunds that may never exceed them."""

from __future__ import annotations

import json
import secrets
import sqlite3
from dataclasses import dataclass
from typing import Literal

from runtime.sandbox import money
from runtime.sandbox.errors import StripeError, missing
from runtime.sandbox.store import Store

Metadata = dict[str, str]
RefundStatus = Literal["pending", "requires_action", "succeeded", "failed", "canceled"]

# A refund that failed or was cancelled gave the money back to the payment.
PAYMENTS = """
SELECT *, (SELECT COALESCE(SUM(amount), 0) FROM refunds
           WHERE refunds.charge = payments.charge AND status NOT IN ('failed', 'canceled')
          ) AS amount_refunded
FROM payments
"""
INSERT_REFUND = """
INSERT INTO refunds (id, charge, amount, status, reason, metadata, created)
VALUES (?, ?, ?, 'succeeded', ?, ?, ?)
"""
REFUNDS = """
SELECT * FROM refunds WHERE (? IS NULL OR charge = ?) AND (? IS NULL OR seq < ?)
ORDER BY seq DESC LIMIT ?
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Payment:
    """A captured charge, with the payment intent it came from, if any."""

    charge: str
    payment_intent: str | None
    amount: int
    currency: str
    metadata: Metadata
    description: str | None
    disputed: bool
    created: int
    amount_refunded: int

    @property
    def remaining(self) -> int:
        return self.amount - self.amount_refunded


@dataclass(frozen=True, slots=True, kw_only=True)
class Refund:
    seq: int
    id: str
    charge: str
    amount: int
    status: str
    reason: str | None
    metadata: Metadata
    failure_reason: str | None
    created: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPayment:
    amount: int
    currency: str
    metadata: Metadata
    description: str | None = None
    disputed: bool = False
    has_intent: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRefund:
    """Without an amount: whatever is left."""

    amount: int | None
    metadata: Metadata
    reason: str | None = None


def new_id(prefix: str) -> str:
    return f"{prefix}_{secrets.token_hex(12)}"


def add_payment(store: Store, new: NewPayment) -> Payment:
    charge = new_id("ch")
    row = (
        charge,
        new_id("pi") if new.has_intent else None,
        new.amount,
        new.currency,
        json.dumps(new.metadata),
        new.description,
        new.disputed,
        int(store.now()),
    )
    store.db.execute("INSERT INTO payments VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
    return payment_of(store, charge)


def payment_of(store: Store, charge: str) -> Payment:
    return _payment(store.db.execute(f"{PAYMENTS} WHERE charge = ?", (charge,)).fetchone())


def find_payment(store: Store, object_id: str) -> Payment | None:
    """By the id of its charge or of its payment intent."""
    where = "WHERE ? IN (charge, payment_intent)"
    row = store.db.execute(f"{PAYMENTS} {where}", (object_id,)).fetchone()
    return None if row is None else _payment(row)


def dispute(store: Store, payment: Payment, *, disputed: bool) -> Payment:
    change = "UPDATE payments SET disputed = ? WHERE charge = ?"
    store.db.execute(change, (disputed, payment.charge))
    return payment_of(store, payment.charge)


def refund_refusal(payment: Payment, amount: int | None) -> StripeError | None:
    if payment.remaining <= 0:
        message = f"Charge {payment.charge} has already been refunded."
        return StripeError(400, message, code="charge_already_refunded")
    if payment.disputed:
        message = f"Charge {payment.charge} has been charged back; cannot issue a refund."
        return StripeError(400, message, code="charge_disputed")
    if amount is not None and amount > payment.remaining:
        asked = money.display(amount, payment.currency)
        left = money.display(payment.remaining, payment.currency)
        message = f"Refund amount ({asked}) is greater than unrefunded amount on charge ({left})"
        return StripeError(400, message, param="amount")
    return None


def add_refund(store: Store, payment: Payment, new: NewRefund) -> Refund:
    """Move the money, or raise the refusal with nothing changed."""
    refusal = refund_refusal(payment, new.amount)
    if refusal is not None:
        raise refusal
    row = (
        new_id("re"),
        payment.charge,
        payment.remaining if new.amount is None else new.amount,
        new.reason,
        json.dumps(new.metadata),
        int(store.now()),
    )
    store.db.execute(INSERT_REFUND, row)
    return refund_of(store, row[0])


def refund_of(store: Store, refund_id: str, param: str = "id") -> Refund:
    row = store.db.execute("SELECT * FROM refunds WHERE id = ?", (refund_id,)).fetchone()
    if row is None:
        raise missing("refund", refund_id, param)
    return _refund(row)


def move_refund(
    store: Store, refund: Refund, status: RefundStatus, failure_reason: str | None
) -> Refund:
    change = "UPDATE refunds SET status = ?, failure_reason = ? WHERE id = ?"
    store.db.execute(change, (status, failure_reason, refund.id))
    return refund_of(store, refund.id)


def refunds_of(
    store: Store, charge: str | None = None, *, before: int | None = None, limit: int = -1
) -> list[Refund]:
    """Newest first; `before` is the place in that order where the page begins."""
    found = store.db.execute(REFUNDS, (charge, charge, before, before, limit))
    return [_refund(row) for row in found]


def _payment(row: sqlite3.Row) -> Payment:
    values = dict(row)
    values |= {"metadata": json.loads(row["metadata"]), "disputed": bool(row["disputed"])}
    return Payment(**values)


def _refund(row: sqlite3.Row) -> Refund:
    return Refund(**{**dict(row), "metadata": json.loads(row["metadata"])})
