"""What `refund-payment` takes, says it would do, and needs to be true."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import BaseModel, Field, ValidationError

from runtime.capabilities import capability, require
from runtime.capabilities.refund_payment import BLOCK_LISTED, personal_fields
from runtime.money import Money
from runtime.providers.facts import NO_SUCH_PAYMENT, PaymentFacts, RefundFacts

REFUND = require("refund-payment@1")
AS_OF = datetime(2026, 1, 1, tzinfo=UTC)


def arguments(**changes) -> dict[str, Any]:
    good = {
        "payment": "pi_1",
        "amount": {"minor": 500, "currency": "USD"},
        "reason": "requested_by_customer",
    }
    return good | changes


def amount(minor: object, currency: object = "USD") -> dict[str, Any]:
    return {"amount": {"minor": minor, "currency": currency}}


def test_it_is_found_by_its_name_and_by_its_version():
    assert capability("refund-payment") is capability("refund-payment@1") is REFUND
    assert capability("refund-payment@2") is None
    assert REFUND.personal == ()


def test_what_is_kept_is_what_was_given():
    parsed = REFUND.parse(arguments())

    assert parsed.arguments == arguments()
    assert (parsed.amount, parsed.target) == (Money(minor=500, currency="USD"), "pi_1")


@pytest.mark.parametrize(
    "given",
    [
        amount(5800, "JPY"),
        amount(1250, "KWD"),
        amount(10, "BHD"),
        amount(1),
        amount(99_999_999_999),
    ],
)
def test_amounts_every_provider_can_carry_out_are_taken(given):
    assert REFUND.parse(arguments(**given)).arguments == arguments(**given)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        (amount(0), "amount.minor"),
        (amount(-5), "amount.minor"),
        (amount(10.5), "amount.minor"),
        (amount(500.0), "amount.minor"),
        (amount(float("nan")), "amount.minor"),
        (amount("500"), "amount.minor"),
        (amount("10.1"), "amount.minor"),
        (amount(True), "amount.minor"),  # noqa: FBT003 - JSON knows true
        (amount(None), "amount.minor"),
        (amount(10**12), "amount.minor"),
        (amount(500, "usd"), "amount.currency"),
        (amount(500, "US"), "amount.currency"),
        (amount(500, "USD\n"), "amount.currency"),
        (amount(500, None), "amount.currency"),
        (amount(1255, "KWD"), "amount"),
        ({"amount": {"minor": 500, "currency": "USD", "display": "$5"}}, "amount.display"),
        ({"amount": {"minor": 500}}, "amount.currency"),
        ({"amount": 500}, "amount"),
        ({"amount": "5.00"}, "amount"),
        ({"payment": "ch_1"}, "payment"),
        ({"payment": "pi_"}, "payment"),
        ({"payment": "pi_\x00"}, "payment"),
        ({"payment": "pi_\ud800"}, "payment"),
        ({"payment": "pi_1/../ch_1"}, "payment"),
        ({"payment": "pi_1\n"}, "payment"),
        ({"payment": "pi_" + "1" * 191}, "payment"),
        ({"payment": 7}, "payment"),
        ({"reason": "because"}, "reason"),
        ({"reason": None}, "reason"),
        ({"note": "and this"}, "note"),
    ],
)
def test_anything_else_is_refused_with_its_field(given, field):
    with pytest.raises(ValidationError) as refused:
        REFUND.parse(arguments(**given))

    (problem,) = refused.value.errors()
    assert ".".join(map(str, problem["loc"])) == field


@pytest.mark.parametrize("missing", ["payment", "amount", "reason"])
def test_nothing_may_be_left_out(missing):
    given = {name: value for name, value in arguments().items() if name != missing}

    with pytest.raises(ValidationError) as refused:
        REFUND.parse(given)

    assert [problem["loc"] for problem in refused.value.errors()] == [(missing,)]


def test_a_three_decimal_currency_is_told_what_to_send():
    with pytest.raises(ValidationError) as refused:
        REFUND.parse(arguments(**amount(1255, "KWD")))

    (problem,) = refused.value.errors()
    assert problem["msg"] == "The provider takes KWD with two decimals: its minor units end in 0."


def test_the_effect_is_said_in_a_sentence():
    effect = REFUND.effect(arguments(**amount(5800, "JPY")))

    assert effect.sentence == "Refund ¥5,800 of payment pi_1, as the customer asked."
    assert effect.also == ()
    assert REFUND.risk(arguments()) == "normal"


def test_a_fraudulent_payment_has_a_second_effect_and_a_higher_risk():
    fraudulent = arguments(reason="fraudulent")

    assert REFUND.effect(fraudulent).also == (BLOCK_LISTED,)
    assert REFUND.risk(fraudulent) == "high"


def refund(amount_minor: int, status="succeeded") -> RefundFacts:
    return RefundFacts.model_validate(
        {
            "id": "re_1",
            "amount_minor": amount_minor,
            "currency": "USD",
            "status": status,
            "intent": None,
            "external_request_id": None,
        }
    )


def payment(**changes) -> PaymentFacts:
    facts = PaymentFacts(
        captured_minor=1000,
        refunded_minor=0,
        currency="USD",
        disputed=False,
        refunds=(),
        complete=True,
    )
    return facts.model_copy(update=changes)


def judge(facts: PaymentFacts | None, *, reserved_minor=0) -> dict[str, bool | None]:
    judged = REFUND.preconditions(
        arguments(), facts, reserved_minor=reserved_minor, as_of=AS_OF if facts else None
    )
    return {each.name: each.ok for each in judged}


GOOD = {
    "payment_exists": True,
    "same_currency": True,
    "not_disputed": True,
    "within_remainder": True,
}


@pytest.mark.parametrize(
    ("facts", "reserved_minor", "changes"),
    [
        (payment(), 0, {}),
        (payment(), 500, {}),
        (payment(), 501, {"within_remainder": False}),
        (payment(refunds=(refund(500),)), 0, {}),
        (payment(refunds=(refund(501),)), 0, {"within_remainder": False}),
        (payment(refunds=(refund(501, "pending"),)), 0, {"within_remainder": False}),
        (payment(refunds=(refund(501, "failed"), refund(600, "canceled"))), 0, {}),
        (payment(refunds=(refund(300), refund(201))), 0, {"within_remainder": False}),
        (payment(refunded_minor=501, complete=False), 0, {"within_remainder": False}),
        (payment(refunded_minor=500, complete=False), 0, {}),
        (payment(captured_minor=499), 0, {"within_remainder": False}),
        (payment(disputed=True), 0, {"not_disputed": False}),
        (payment(currency="EUR"), 0, {"same_currency": False, "within_remainder": None}),
        (NO_SUCH_PAYMENT, 0, {**dict.fromkeys(GOOD, None), "payment_exists": False}),
        (None, 0, dict.fromkeys(GOOD, None)),
    ],
)
def test_the_preconditions_follow_from_the_facts(facts, reserved_minor, changes):
    assert judge(facts, reserved_minor=reserved_minor) == GOOD | changes


def test_a_precondition_says_what_is_left_and_when_that_was_seen():
    facts = payment(refunds=(refund(1),))

    *_, remainder = REFUND.preconditions(arguments(), facts, reserved_minor=2, as_of=AS_OF)

    assert (remainder.detail, remainder.as_of) == ("$9.97 of the payment is left.", AS_OF)


def test_a_schema_marks_its_personal_arguments():
    class Letter(BaseModel):
        to: str = Field(json_schema_extra={"personal": True})
        pages: int

    assert personal_fields(Letter) == ("to",)
