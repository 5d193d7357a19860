"""What stops somebody who sets a workspace up."""

from __future__ import annotations

from runtime.constraints import RuleError


class NotPossibleError(Exception):
    """What was asked for contradicts a rule; nothing was changed. `field`: what to correct."""

    def __init__(self, detail: str, *, field: str = "body") -> None:
        super().__init__(detail)
        self.field = field


class AlreadyMemberError(RuleError):
    """Somebody has just made this account a member."""

    constraints = frozenset({"one_membership_per_person"})
