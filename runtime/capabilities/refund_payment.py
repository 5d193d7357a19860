"""`refund-payment@1`: give back some or all of a captured payment."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

from runtime.capabilities.protocol import (
    Arguments,
    Effect,
    Parsed,
    Precondition,
    Request,
    Risk,
)
from runtime.money import THREE_DECIMAL, Money, display
from runtime.providers.answers import Answer
from runtime.providers.facts import PaymentFacts
from runtime.providers.protocol import Provider, RefundOrder

STEP = 10
REASONS = {
    "requested_by_customer": "as the customer asked",
    "duplicate": "as a duplicate",
    "fraudulent": "as fraudulent",
}
BLOCK_LISTED = "The card is added to the provider's block list."
UNREAD = "The payment has not been read yet."


def ends_in_zero(amount: Money) -> Money:
    """Refuse what the provider's own precision would round."""
    if amount.currency in THREE_DECIMAL and amount.minor % STEP:
        raise PydanticCustomError(
            "too_precise",
            "The provider takes {currency} with two decimals: its minor units end in 0.",
            {"currency": amount.currency},
        )
    return amount


class RefundArguments(BaseModel):
    """A field marked `personal` in its schema is kept out of the log; here none is."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    payment: Annotated[str, Field(pattern=r"^pi_[A-Za-z0-9_]{1,190}$")]
    amount: Annotated[Money, AfterValidator(ends_in_zero)]
    reason: Literal["requested_by_customer", "duplicate", "fraudulent"]


def personal_fields(schema: type[BaseModel]) -> tuple[str, ...]:
    """Name the fields declared with `json_schema_extra={"personal": True}`."""
    extras = ((name, field.json_schema_extra) for name, field in schema.model_fields.items())
    return tuple(
        name for name, extra in extras if isinstance(extra, dict) and extra.get("personal") is True
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RefundPayment:
    name: str = "refund-payment"
    version: int = 1
    outcome_may_stay_open: bool = False
    provider: str = "stripe"
    operation: str = "refund"
    personal: tuple[str, ...] = personal_fields(RefundArguments)

    @property
    def id(self) -> str:
        return f"{self.name}@{self.version}"

    def parse(self, arguments: Arguments) -> Parsed:
        asked = RefundArguments.model_validate(arguments)
        kept = asked.model_dump(mode="json", exclude={"amount": {"display"}})
        return Parsed(arguments=kept, amount=asked.amount, target=asked.payment)

    def effect(self, arguments: Arguments) -> Effect:
        asked = RefundArguments.model_validate(arguments)
        sentence = (
            f"Refund {asked.amount.display} of payment {asked.payment}, {REASONS[asked.reason]}."
        )
        also = (BLOCK_LISTED,) if asked.reason == "fraudulent" else ()
        return Effect(sentence=sentence, amount=asked.amount, target=asked.payment, also=also)

    def risk(self, arguments: Arguments) -> Risk:
        asked = RefundArguments.model_validate(arguments)
        return "high" if asked.reason == "fraudulent" else "normal"

    def preconditions(
        self,
        arguments: Arguments,
        facts: PaymentFacts | None,
        *,
        reserved_minor: int,
        as_of: datetime | None,
    ) -> tuple[Precondition, ...]:
        asked = RefundArguments.model_validate(arguments)
        return tuple(
            Precondition(name=name, ok=ok, as_of=as_of, detail=detail)
            for name, ok, detail in judged(asked.amount, facts, reserved_minor)
        )

    def perform(self, provider: Provider, arguments: Arguments, request: Request) -> Answer:
        asked = RefundArguments.model_validate(arguments)
        return provider.refund(
            RefundOrder(
                payment=asked.payment,
                amount=asked.amount,
                reason=asked.reason,
                key=request.key,
                intent=request.intent,
                external_request_id=request.external_request_id,
            )
        )


def judged(
    amount: Money, facts: PaymentFacts | None, reserved_minor: int
) -> tuple[tuple[str, bool | None, str], ...]:
    """Answer each precondition's name, whether it holds, and the sentence that says so."""
    names = ("payment_exists", "same_currency", "not_disputed", "within_remainder")
    if facts is None:
        return tuple((name, None, UNREAD) for name in names)
    if not facts.exists:
        missing = "The provider does not know this payment."
        return ((names[0], False, missing), *((name, None, missing) for name in names[1:]))
    same = facts.currency == amount.currency
    left = facts.captured_minor - facts.taken_minor - reserved_minor
    disputed = "The payment is disputed." if facts.disputed else "The payment is not disputed."
    return (
        (names[0], True, "The provider knows this payment."),
        (names[1], same, f"The payment is in {facts.currency}."),
        (names[2], not facts.disputed, disputed),
        (
            names[3],
            amount.minor <= left if same else None,
            f"{display(left, facts.currency)} of the payment is left.",
        ),
    )
