"""An amount as a person reads it, next to the integer a program reads."""

from __future__ import annotations

from dataclasses import dataclass

from runtime.money import display


@dataclass(frozen=True, slots=True, kw_only=True)
class MoneyView:
    """`minor` counts the smallest unit of `currency`; `display` is what is written."""

    minor: int
    currency: str
    display: str

    @property
    def code(self) -> str:
        """The currency's code, unless the written amount names it already."""
        return "" if self.currency in self.display else self.currency


def money_view(minor: int, currency: str) -> MoneyView:
    return MoneyView(minor=minor, currency=currency, display=display(minor, currency))
