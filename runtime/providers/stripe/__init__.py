"""Stripe, and whatever speaks its wire format."""

from __future__ import annotations

from runtime.providers.stripe.client import StripeProvider

__all__ = ["StripeProvider"]
