"""Stripe's payment and refund objects, and the facts they amount to."""

from __future__ import annotations

from pydantic import BaseModel

from runtime.providers.answers import RefundStatus
from runtime.providers.facts import PaymentFacts, RefundFacts


class Charge(BaseModel):
    amount_refunded: int
    disputed: bool


class Intent(BaseModel):
    """A payment intent with its charge expanded; never paid, it has none."""

    amount_received: int
    currency: str
    latest_charge: Charge | None


class ListedRefund(BaseModel):
    id: str
    amount: int
    currency: str
    status: RefundStatus
    metadata: dict[str, str] = {}


class Page(BaseModel):
    data: list[ListedRefund]
    has_more: bool


def payment_facts(intent: Intent, pages: list[Page]) -> PaymentFacts:
    """Put a payment together; without pages, its refunds are only known as a sum."""
    charge = intent.latest_charge
    return PaymentFacts(
        captured_minor=intent.amount_received,
        refunded_minor=charge.amount_refunded if charge else 0,
        currency=intent.currency.upper(),
        disputed=charge.disputed if charge else False,
        refunds=tuple(_refund(row) for page in pages for row in page.data),
        complete=bool(pages) and not pages[-1].has_more,
    )


def _refund(row: ListedRefund) -> RefundFacts:
    return RefundFacts(
        id=row.id,
        amount_minor=row.amount,
        currency=row.currency.upper(),
        status=row.status,
        intent=row.metadata.get("intent"),
        external_request_id=row.metadata.get("external_request_id"),
    )
