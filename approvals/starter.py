"""What a workspace starts from: one policy for refunds, and two groups' limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from approvals.policies import Hold, PolicyDocument

HOLD_S: Final = 10
DAY_FACTOR: Final = 100
POLICY: Final = "refunds"
REVIEWERS: Final = "reviewers"
SENIORS: Final = "seniors"

REFUNDS: Final = PolicyDocument(
    capability="refund-payment",
    needs=1,
    decide_within_s=3600,
    use_within_s=900,
    hold={
        "USD": (Hold(from_minor=500_00, seconds=HOLD_S),),
        "JPY": (Hold(from_minor=75_000, seconds=HOLD_S),),
        "KWD": (Hold(from_minor=150_000, seconds=HOLD_S),),
    },
)

# Minor units by group and currency. EUR has no row, so nobody may.
LIMITS: Final[Mapping[str, Mapping[str, int]]] = {
    REVIEWERS: {"USD": 1_000_00, "JPY": 150_000, "KWD": 300_000},
    SENIORS: {"USD": 10_000_00, "JPY": 1_500_000, "KWD": 3_000_000},
}
