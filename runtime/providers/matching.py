"""Find our own refund among those of a payment: by our reference, never by amount alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from runtime.money import Money
from runtime.providers.facts import PaymentFacts, RefundFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    refund: RefundFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class NotFound:
    """The list is whole, and ours is not in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ambiguous:
    code: Literal["incomplete_listing", "several_matches", "other_amount"]


Match = Found | NotFound | Ambiguous


def find_refund(
    facts: PaymentFacts, *, external_request_id: str, intent: str, amount: Money
) -> Match:
    matching = [refund for refund in facts.refunds if _is_ours(refund, external_request_id, intent)]
    if not facts.complete:
        return Ambiguous(code="incomplete_listing")
    if not matching:
        return NotFound()
    if len(matching) > 1:
        return Ambiguous(code="several_matches")
    refund = matching[0]
    if (refund.amount_minor, refund.currency) != (amount.minor, amount.currency):
        return Ambiguous(code="other_amount")
    return Found(refund=refund)


def _is_ours(refund: RefundFacts, external_request_id: str, intent: str) -> bool:
    """Tell whether it carries our reference, or our intent and nobody's reference.

    The same intent under another reference is another epoch of it: another call's.
    """
    if refund.external_request_id is None:
        return refund.intent == intent
    return refund.external_request_id == external_request_id
