"""What admins may ask of a workspace: its rules, its members and their limits."""

from __future__ import annotations

from typing import Annotated, Final, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from approvals.commands import Command, Note
from approvals.policies import Currency
from approvals.states import ErasureReason, Role
from runtime.money import LARGEST

NAMES: Final = 3
Reference = Annotated[str, Field(min_length=1, max_length=20_000)]
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


class Whom(BaseModel):
    """A person by one of their names: an agent's reference, an order, or an account."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    customer: Reference | None = None
    order: Reference | None = None
    user: Reference | None = None

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if [self.customer, self.order, self.user].count(None) != NAMES - 1:
            raise PydanticCustomError("not_one", "Give a customer, an order or a user, and no two")
        return self


class ErasePerson(Whom, Command):
    """Destroy what is kept about a person in this workspace; nothing brings it back."""

    reason: ErasureReason
