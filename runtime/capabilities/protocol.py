"""What a capability is: something agents may propose, described well enough to judge it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Protocol

from runtime.money import Money
from runtime.providers.answers import Answer
from runtime.providers.facts import PaymentFacts
from runtime.providers.protocol import Provider

Arguments = dict[str, Any]
Risk = Literal["normal", "high"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """Arguments as they are stored and signed: given ones only, nothing derived."""

    arguments: Arguments
    amount: Money
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What would happen, in words; `also` names what happens besides the amount."""

    sentence: str
    amount: Money
    target: str
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Precondition:
    """Something that must hold; `ok` None says that it could not be read."""

    name: str
    ok: bool | None
    as_of: datetime | None
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What makes a request ours: the same three words on every try."""

    key: str
    intent: str
    external_request_id: str


class Capability(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def version(self) -> int: ...

    @property
    def outcome_may_stay_open(self) -> bool:
        """Whether its agent may go on while nobody knows what became of a call."""

    @property
    def id(self) -> str:
        """Its name and version, `refund-payment@1`."""

    @property
    def provider(self) -> str:
        """Whose account of the workspace carries it out."""

    @property
    def operation(self) -> str:
        """What the wire key is about; it outlives versions."""

    @property
    def personal(self) -> tuple[str, ...]:
        """Names of the arguments that hold personal text, as its schema marks them."""

    def parse(self, arguments: Arguments, /) -> Parsed:
        """Check an agent's arguments. Raises pydantic.ValidationError."""

    def effect(self, arguments: Arguments, /) -> Effect: ...

    def risk(self, arguments: Arguments, /) -> Risk: ...

    def preconditions(
        self,
        arguments: Arguments,
        facts: PaymentFacts | None,
        /,
        *,
        reserved_minor: int,
        as_of: datetime | None,
    ) -> tuple[Precondition, ...]:
        """Judge the facts of one observation; without one nothing is known."""

    def perform(self, provider: Provider, arguments: Arguments, request: Request, /) -> Answer:
        """Ask the provider for the effect, once."""
