"""The table of roles: who may ask for what, through a token of which scope."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from typing import Final

from approvals.access import Scope
from approvals.states import Role
from console.api.authentication import Caller
from console.api.problems import NOT_AUTHORIZED, ProblemError
from console.readings import Reading


class Act(Enum):
    WORK = auto()
    STEER = auto()
    DECIDE = auto()
    DECIDE_SETTLEMENT = auto()
    REVOKE = auto()
    ADMINISTER = auto()
    READ_RULES = auto()
    READ_SESSION = auto()
    READ_FEED = auto()


PEOPLE_READ: Final = {
    role: frozenset({Scope.READ}) for role in (Role.SUPPORT, Role.REVIEWER, Role.ADMIN)
}
ALLOWED: Final[Mapping[Act, Mapping[Role, frozenset[Scope]]]] = {
    Act.WORK: {Role.AGENT: frozenset({Scope.PROPOSE})},
    Act.STEER: {
        Role.AGENT: frozenset({Scope.PROPOSE}),
        Role.REVIEWER: frozenset({Scope.DECIDE}),
        Role.ADMIN: frozenset({Scope.DECIDE, Scope.ADMIN}),
    },
    Act.DECIDE: {Role.REVIEWER: frozenset({Scope.DECIDE})},
    Act.DECIDE_SETTLEMENT: {Role.ADMIN: frozenset({Scope.DECIDE, Scope.ADMIN})},
    Act.REVOKE: {
        Role.REVIEWER: frozenset({Scope.DECIDE}),
        Role.ADMIN: frozenset({Scope.DECIDE, Scope.ADMIN}),
    },
    Act.ADMINISTER: {Role.ADMIN: frozenset({Scope.ADMIN})},
    # What models say holds what customers wrote: for the agent itself, and whoever repairs it.
    Act.READ_SESSION: {
        Role.AGENT: frozenset({Scope.READ}),
        Role.ADMIN: frozenset({Scope.ADMIN}),
    },
    Act.READ_RULES: PEOPLE_READ,
    Act.READ_FEED: PEOPLE_READ,
}


def may(caller: Caller, act: Act) -> bool:
    """One scope of those named is enough."""
    return not ALLOWED[act].get(caller.role, frozenset()).isdisjoint(caller.scopes)


def require(caller: Caller, *acts: Act) -> None:
    """Refuse a caller who may do none of these."""
    if not any(may(caller, act) for act in acts):
        raise ProblemError(NOT_AUTHORIZED)


def require_reading(caller: Caller, reading: Reading) -> None:
    """Refuse a caller whom the table of readings does not name."""
    if reading.may.get(caller.role, frozenset()).isdisjoint(caller.scopes):
        raise ProblemError(NOT_AUTHORIZED)
