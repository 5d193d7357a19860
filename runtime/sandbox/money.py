"""How many decimals a currency has, and an amount in minor units as a person reads it."""

from __future__ import annotations

_ZERO = "bif clp djf gnf jpy kmf krw mga pyg rwf ugx vnd vuv xaf xof xpf"
ZERO_DECIMAL = frozenset(_ZERO.split())
THREE_DECIMAL = frozenset({"bhd", "jod", "kwd", "omr", "tnd"})


def exponent(currency: str) -> int:
    if currency in ZERO_DECIMAL:
        return 0
    return 3 if currency in THREE_DECIMAL else 2


def display(minor: int, currency: str) -> str:
    """For example `KWD 1.250`: integers only, because no float may ever touch an amount."""
    places = exponent(currency)
    units, rest = divmod(minor, 10**places)
    decimals = f".{rest:0{places}d}" if places else ""
    return f"{currency.upper()} {units:,}{decimals}"
