from __future__ import annotations

import pytest

from runtime.sandbox.money import display


@pytest.mark.parametrize(
    ("minor", "currency", "text"),
    [
        (695, "usd", "USD 6.95"),
        (5, "eur", "EUR 0.05"),
        (5_800, "jpy", "JPY 5,800"),
        (1_250, "kwd", "KWD 1.250"),
        (123_456_789, "usd", "USD 1,234,567.89"),
    ],
)
def test_an_amount_has_its_currencys_decimals(minor, currency, text):
    assert display(minor, currency) == text
