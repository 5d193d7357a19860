"""How a fact is named, versioned, enveloped, hashed and read back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Final, TypeVar, cast
from uuid import UUID

from pydantic import BaseModel, ConfigDict, ValidationError

from runtime.canonical import canonical
from runtime.errors import EventTooLargeError, MalformedEventError, UnknownEventError

GENESIS = "0" * 64
MOST_BODY_BYTES: Final = 65_536


class Part(BaseModel):
    """Something an event is made of: never changed, and nothing more than declared."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Payload(Part):
    """A fact that has already happened; subclasses are named in the past tense."""

    event_type: ClassVar[str]
    schema_version: ClassVar[int]


class TextRef(Part):
    """Where a personal text lies, and a digest worthless once its key is erased."""

    id: UUID
    digest: str


class Ids(Part):
    """The stable ids that join one fact to the others."""

    turn_id: str | None = None
    reasoning_object_id: UUID | None = None
    capability_id: str | None = None
    policy_decision_id: UUID | None = None
    approval_id: UUID | None = None
    tool_call_id: UUID | None = None
    attempt_id: UUID | None = None
    artifact_id: UUID | None = None
    feedback_id: UUID | None = None


class Envelope(Ids):
    """Everything about a fact but its body; hashed together with it."""

    event_id: UUID
    workspace: UUID
    run: UUID
    position: int
    event_type: str
    schema_version: int
    producer: str
    actor: str
    correlation_id: str
    causation_id: UUID | None
    occurred_at: datetime
    recorded_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A fact together with where and when the log took it in.

    The payload is of the newest version; the envelope says which one is stored and hashed.
    """

    envelope: Envelope
    payload: Payload

    @property
    def position(self) -> int:
        return self.envelope.position

    @property
    def occurred_at(self) -> datetime:
        return self.envelope.occurred_at


P = TypeVar("P", bound=type[Payload])
Old = TypeVar("Old", bound=Payload)
_registry: dict[tuple[str, int], type[Payload]] = {}
_upcasters: dict[type[Payload], Callable[[Payload], Payload]] = {}


def event(event_type: str, *, version: int = 1) -> Callable[[P], P]:
    """Register an event class under its wire name and schema version."""

    def register(cls: P) -> P:
        key = (event_type, version)
        if key in _registry:
            raise TypeError(f"{event_type} v{version} is already registered")
        cls.event_type, cls.schema_version = key
        _registry[key] = cls
        return cls

    return register


def upcasts(
    old: type[Old],
) -> Callable[[Callable[[Old], Payload]], Callable[[Old], Payload]]:
    """Register the pure function that says a fact of `old` in its type's next version."""

    def register(upcast: Callable[[Old], Payload]) -> Callable[[Old], Payload]:
        if old in _upcasters:
            raise TypeError(f"{old.event_type} v{old.schema_version} is upcast already")
        _upcasters[old] = cast(Callable[[Payload], Payload], upcast)
        return upcast

    return register


def registered() -> list[type[Payload]]:
    return [_registry[key] for key in sorted(_registry)]


def is_known(event_type: str, version: int) -> bool:
    return (event_type, version) in _registry


def upcasters() -> Mapping[type[Payload], Callable[[Payload], Payload]]:
    return _upcasters


def encode(payload: Payload) -> str:
    """Write a body to be stored and hashed. Raises EventTooLargeError, UnsafeTextError."""
    body = canonical(payload.model_dump(mode="json"))
    size = len(body.encode())
    if size > MOST_BODY_BYTES:
        raise EventTooLargeError(payload.event_type, size, MOST_BODY_BYTES)
    return body


def decode(event_type: str, version: int, body: str) -> Payload:
    """Rebuild an event in its newest version, refusing what this code does not understand."""
    cls = _registry.get((event_type, version))
    if cls is None:
        raise UnknownEventError(f"This program does not know {event_type} version {version}.")
    try:
        payload = cls.model_validate_json(body)
    except ValidationError as error:
        fields = ", ".join(".".join(map(str, found["loc"])) for found in error.errors())
        said = f"{event_type} version {version} is not as declared: {fields}."
        raise MalformedEventError(said) from None
    while upcast := _upcasters.get(type(payload)):
        payload = upcast(payload)
    return payload


def newest(event_type: str, version: int, body: str) -> dict[str, Any]:
    """A stored body as its type's newest version says it: plain, for those who only show it."""
    cls = _registry.get((event_type, version))
    if cls is None or cls in _upcasters:
        return decode(event_type, version, body).model_dump(mode="json")
    plain: dict[str, Any] = json.loads(body)
    return plain


def chain(prev_hash: str, envelope: Envelope, body: str) -> str:
    """SHA-256 over the hash before, the canonical envelope (position included) and the body."""
    text = "\n".join([prev_hash, canonical(stamped(envelope)), body])
    return hashlib.sha256(text.encode()).hexdigest()


def stamped(envelope: Envelope) -> dict[str, Any]:
    return envelope.model_dump(mode="json")
