"""What admins may ask of a workspace: its rules, its members and their limits."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from approvals.commands import Command, Note
from approvals.policies import Currency
from approvals.states import Role
from runtime.money import LARGEST

Slug = Annotated[str, Field(pattern=r"^[-a-zA-Z0-9_]{1,60}$")]
# Zero is a limit that nothing fits into.
LimitMinor = Annotated[int, Field(strict=True, ge=0, le=LARGEST * 1_000)] | None


class MovePolicy(Command):
    """Put a written version of a policy in force, or out of it."""

    version: Annotated[int, Field(strict=True, ge=1, le=2**31 - 1)]
    reason: Note


class Change(BaseModel):
    """A change of a workspace: sent again, it changes nothing, so it needs no command id."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ChangeMember(Change):
    """What is not named stays as it is."""

    active: Annotated[bool, Field(strict=True)] | None = None
    role: Role | None = None
    groups: Annotated[tuple[Slug, ...], Field(max_length=100)] | None = None


class SetAuthority(Change):
    """How much a group may approve; null is without limit."""

    group: Slug
    capability: Annotated[str, Field(min_length=1, max_length=100)]
    currency: Currency
    limit_minor: LimitMinor
    day_limit_minor: LimitMinor
