"""How a session in doubt may go on, and what is in the way of each way. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, assert_never, get_args

from runtime.session_events import Repair, Verdict
from runtime.sessions.histories import flaw, withheld

REPAIRS: Final[tuple[Repair, ...]] = get_args(Repair)


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """What is there, what was meant and not seen to its end, and how much of that is there."""

    verdict: Verdict
    observed: tuple[str, ...]
    pending: tuple[str, ...]
    made: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Hindrance:
    code: str
    detail: str


def offered(damage: Damage) -> tuple[Repair, ...]:
    return tuple(action for action in REPAIRS if hindrance(damage, action) is None)


def hindrance(damage: Damage, action: Repair) -> Hindrance | None:
    """Say why a history cannot go on in this way, or None."""
    if action != "adopt_observed" and (found := _of_pending(damage, action)):
        return found
    if why := flaw([*damage.observed, *added(damage, action)]):
        detail = f"The history would not be well formed. {why}"
        return Hindrance(code="not_well_formed", detail=detail)
    return None


def added(damage: Damage, action: Repair) -> list[str]:
    """What the repair adds to the history as it is."""
    match action:
        case "adopt_observed":
            return []
        case "append_pending":
            return list(damage.pending)
        case "discard_pending":
            return withheld(damage.observed, damage.pending)
        case _:
            assert_never(action)


def _of_pending(damage: Damage, action: Repair) -> Hindrance | None:
    if not damage.pending or damage.verdict is Verdict.UNREADABLE_VERSION:
        detail = "No append is open that could be made or given up."
        return Hindrance(code="nothing_pending", detail=detail)
    # Half of an append can be given up; no part of one may be made twice.
    most = 0 if action == "append_pending" else len(damage.pending) - 1
    if damage.made > most:
        detail = "What was meant is in the history already; it can only be adopted as it is."
        return Hindrance(code="already_appended", detail=detail)
    return None
