"""What the runtime asks of a payment provider, whichever it is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from runtime.money import Money
from runtime.providers.answers import Answer
from runtime.providers.facts import PaymentFacts
from runtime.providers.profiles import Profile
from runtime.states import HeldUp


@dataclass(frozen=True, slots=True, kw_only=True)
class RefundOrder:
    """One refund to make; the same order carries the same key for ever."""

    payment: str
    amount: Money
    reason: str
    key: str
    intent: str
    external_request_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """The payment could not be read now; nothing is known."""

    code: HeldUp


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a provider said of its own accord, and which objects it named: a reason to look."""

    event_id: str
    event_type: str
    object_ref: str | None
    payment: str | None
    external_request_id: str | None
    said_at: datetime


class Provider(Protocol):
    """Never raises for what goes wrong outside: every way it can go is a value."""

    @property
    def profile(self) -> Profile: ...

    def observe(self, payment: str) -> PaymentFacts | Unreadable:
        """Read the payment, its dispute and every page of its refunds."""

    def refund(self, order: RefundOrder) -> Answer:
        """Ask for one refund, once; whoever calls may hold no transaction and no lock."""
