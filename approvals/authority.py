"""How much a person may approve. Pure: limits and sums in, a shortfall or nothing out."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """One group's limits for one capability and currency; None is without limit."""

    group: str
    limit_minor: int | None
    day_limit_minor: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What the limits are used up by already, the amount in question not included."""

    order_minor: int = 0
    day_minor: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class NoLimit:
    """No row, no authority."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OverLimit:
    """`needs`: the groups whose members could still approve it, by name."""

    needs: tuple[str, ...]


def shortfall(
    amount_minor: int, usage: Usage, limits: Collection[Limit], groups: Collection[str]
) -> NoLimit | OverLimit | None:
    """Say what a member of `groups` lacks to approve the amount; any one row of theirs suffices."""
    own = [limit for limit in limits if limit.group in groups]
    if not own:
        return NoLimit()
    order, day = usage.order_minor + amount_minor, usage.day_minor + amount_minor
    if any(
        _holds(limit.limit_minor, order) and _holds(limit.day_limit_minor, day) for limit in own
    ):
        return None
    # Somebody else's day is not this one's: their group counts if its order limit suffices.
    could = (limit.group for limit in limits if _holds(limit.limit_minor, order))
    return OverLimit(needs=tuple(sorted(could)))


def _holds(limit: int | None, total: int) -> bool:
    return limit is None or total <= limit
