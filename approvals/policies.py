"""What a policy says about an effect. Pure, so that a verdict can be explained and tested."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from runtime.money import Minor, display

# A grant that could not outlive its own hold by this much would hardly ever be spent.
GRACE_S: Final = 60

Currency = Annotated[str, Field(pattern=r"^[A-Z]{3}$")]
Seconds = Annotated[int, Field(strict=True, ge=1, le=30 * 86_400)]


class Rule(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Hold(Rule):
    """From this amount on, a grant waits so long before it may be spent."""

    from_minor: Annotated[int, Field(strict=True, ge=0)]
    seconds: Annotated[int, Field(strict=True, ge=0, le=86_400)]


class PolicyDocument(Rule):
    """One version of the rules for one capability; amounts are minor units by currency.

    `automatic` needs no person up to that sum of an order; `max_minor` is never allowed above.
    """

    capability: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,80}$")]
    needs: Annotated[int, Field(strict=True, ge=1, le=10)]
    decide_within_s: Seconds
    use_within_s: Seconds
    hold: dict[Currency, tuple[Hold, ...]] = {}
    automatic: dict[Currency, Minor] = {}
    max_minor: dict[Currency, Minor] = {}
    require_surface: Literal["browser"] | None = None

    @model_validator(mode="after")
    def _grants_outlive_their_hold(self) -> Self:
        longest = max((row.seconds for rows in self.hold.values() for row in rows), default=0)
        if self.use_within_s < longest + GRACE_S:
            raise ValueError(f"use_within_s must be at least {longest + GRACE_S}: hold plus grace")
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedEffect:
    """`order_minor`: what is approved for this order so far; None where no order is named."""

    amount_minor: int
    currency: str
    order_minor: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    kind: Literal["go", "needs_person", "never"]
    code: str
    detail: str


NO_POLICY: Final = Verdict(
    kind="never", code="no_policy", detail="No policy in force covers this capability."
)
RIVAL_POLICIES: Final = Verdict(
    kind="never", code="rival_policies", detail="Two policies in force cover this capability."
)


def evaluate(document: PolicyDocument, effect: ProposedEffect) -> Verdict:
    currency = effect.currency
    ceiling = document.max_minor.get(currency)
    if ceiling is not None and effect.amount_minor > ceiling:
        detail = f"The policy never allows more than {display(ceiling, currency)}."
        return Verdict(kind="never", code="above_maximum", detail=detail)
    free = document.automatic.get(currency)
    # Without an order, splitting could not be seen: a person looks.
    if (
        free is None
        or effect.order_minor is None
        or effect.order_minor + effect.amount_minor > free
    ):
        detail = "The policy wants a person to look."
        return Verdict(kind="needs_person", code="needs_person", detail=detail)
    detail = f"The policy allows up to {display(free, currency)} an order by itself."
    return Verdict(kind="go", code="automatic", detail=detail)


def hold_seconds(document: PolicyDocument, amount_minor: int, currency: str) -> int:
    """How long a grant of this amount waits; the highest row that applies decides."""
    reached = [row for row in document.hold.get(currency, ()) if row.from_minor <= amount_minor]
    return max(reached, key=lambda row: row.from_minor).seconds if reached else 0
