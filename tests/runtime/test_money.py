from __future__ import annotations

import pytest
from pydantic import ValidationError

from runtime.money import Money, display


@pytest.mark.parametrize(
    ("minor", "currency", "written"),
    [
        (5800, "JPY", "¥5,800"),
        (1250, "KWD", "KWD 1.250"),
        (695, "USD", "$6.95"),
        (5, "USD", "$0.05"),
        (123456789, "EUR", "€1,234,567.89"),
        (100, "CHF", "CHF 1.00"),
        (-695, "USD", "-$6.95"),
    ],
)
def test_an_amount_is_written_with_its_currency_s_own_digits(minor, currency, written):
    assert display(minor, currency) == written


@pytest.mark.parametrize("minor", ["10.1", "10", 10.5, 10.0, True, 0, -1, None, 10**12])
def test_only_a_positive_whole_number_of_minor_units_is_an_amount(minor):
    with pytest.raises(ValidationError):
        Money(minor=minor, currency="USD")


@pytest.mark.parametrize("currency", ["usd", "US", "USDT", "", "U$D", 840])
def test_a_currency_is_three_capital_letters(currency):
    with pytest.raises(ValidationError):
        Money(minor=100, currency=currency)
