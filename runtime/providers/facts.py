"""What a provider says a payment is: seen at one moment, never believed for longer."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel, ConfigDict

from runtime.providers.answers import RefundStatus

DEAD: Final = frozenset({"failed", "canceled"})


class Facts(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class RefundFacts(Facts):
    """One refund; `intent` and `external_request_id` are what its metadata says."""

    id: str
    amount_minor: int
    currency: str
    status: RefundStatus
    intent: str | None
    external_request_id: str | None

    @property
    def is_live(self) -> bool:
        """Tell whether this refund has taken, or may still take, money."""
        return self.status not in DEAD


class PaymentFacts(Facts):
    """A payment with all its refunds, or with what is known without their list.

    `refunded_minor` is the provider's own sum; `complete` says that `refunds` is the
    whole list.
    """

    exists: bool = True
    captured_minor: int
    refunded_minor: int
    currency: str
    disputed: bool
    refunds: tuple[RefundFacts, ...]
    complete: bool

    @property
    def taken_minor(self) -> int:
        if not self.complete:
            return self.refunded_minor
        return sum(refund.amount_minor for refund in self.refunds if refund.is_live)

    @property
    def references(self) -> frozenset[str]:
        """Our own references that the list shows."""
        found = (refund.external_request_id for refund in self.refunds)
        return frozenset(reference for reference in found if reference)


NO_SUCH_PAYMENT: Final = PaymentFacts(
    exists=False,
    captured_minor=0,
    refunded_minor=0,
    currency="",
    disputed=False,
    refunds=(),
    complete=True,
)
