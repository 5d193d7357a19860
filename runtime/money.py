"""Money as integer minor units with a currency, and how it is written for people."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, computed_field

# Stripe's list of currencies whose exponent is not two (docs, "zero-decimal currencies").
ZERO_DECIMAL: Final = frozenset(
    "BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF UGX VND VUV XAF XOF XPF".split()  # noqa: SIM905
)
THREE_DECIMAL: Final = frozenset(["BHD", "JOD", "KWD", "OMR", "TND"])
SYMBOLS: Final = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥"}
LARGEST: Final = 99_999_999_999  # twelve digits and more are refused by the provider

Minor = Annotated[int, Field(strict=True, gt=0, le=LARGEST)]


def exponent(currency: str) -> int:
    """Digits after the decimal point: 2 for USD, 0 for JPY, 3 for KWD."""
    if currency in ZERO_DECIMAL:
        return 0
    return 3 if currency in THREE_DECIMAL else 2


def display(minor: int, currency: str) -> str:
    """`5800, "JPY"` is "¥5,800"; `1250, "KWD"` is "KWD 1.250"."""
    digits = exponent(currency)
    sign, minor = ("-" if minor < 0 else ""), abs(minor)
    whole, fraction = divmod(minor, 10**digits)
    amount = f"{whole:,}" if digits == 0 else f"{whole:,}.{fraction:0{digits}d}"
    symbol = SYMBOLS.get(currency)
    return f"{sign}{symbol}{amount}" if symbol else f"{currency} {sign}{amount}"


class Money(BaseModel):
    """An amount somebody agreed to. Floats and decimal text never enter."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    minor: Minor
    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")]

    @computed_field  # type: ignore[prop-decorator]
    @property
    def display(self) -> str:
        return display(self.minor, self.currency)
