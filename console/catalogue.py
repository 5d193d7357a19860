"""Every kind of fact and each of its versions: what it means, who writes it, how it is read."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import approvals.events  # noqa: F401 - these three register every type
import runtime.events
import runtime.session_events  # noqa: F401
from runtime.event_types import Payload, registered, upcasters

ROOT: Final = Path(__file__).resolve().parent.parent
# Where facts are written; the console never writes any.
WRITERS: Final = ("runtime", "approvals")


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One version of a type; `upcast` says how it reads in the next, None for the newest."""

    number: int
    meaning: str
    upcast: str | None
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class EventType:
    """`versions` are all there ever were, oldest first; `writers` are files."""

    name: str
    writers: tuple[str, ...]
    versions: tuple[Version, ...]

    @property
    def newest(self) -> Version:
        return self.versions[-1]


@cache
def catalogue() -> Mapping[str, EventType]:
    """Answer every type by its name, from the payload classes."""
    by_type = groupby(registered(), key=lambda event: event.event_type)
    return {name: _event_type(name, tuple(classes)) for name, classes in by_type}


def schema_of(event: type[Payload]) -> dict[str, Any]:
    """The JSON Schema of a stored body; its id is a name, for every installation has the same."""
    schema = event.model_json_schema(mode="serialization")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:countersign:event:{event.event_type}:{event.schema_version}",
        **schema,
    }


def kind(schema: Mapping[str, Any]) -> str:
    """Say in a few words what a field may hold."""
    match schema:
        case {"$ref": str(ref)}:
            return f"`{ref.rpartition('/')[2]}`"
        case {"anyOf": parts}:
            return " or ".join(map(kind, parts))
        case {"enum": values}:
            return ", ".join(f"`{value}`" for value in values)
        case {"const": value}:
            return f"`{value}`"
        case {"type": "array", "items": items}:
            return f"list of {kind(items)}"
        case _:
            return str(schema.get("format") or schema.get("type", "anything"))


def said(documented: Any) -> str:  # noqa: ANN401 - a class or a function
    """What an object's documentation says, on one line; classes do not inherit theirs."""
    return " ".join((documented.__doc__ or "").split())


def _event_type(name: str, classes: tuple[type[Payload], ...]) -> EventType:
    return EventType(
        name=name,
        writers=tuple(sorted(_written()[classes[-1].__name__])),
        versions=tuple(map(_version, classes)),
    )


def _version(event: type[Payload]) -> Version:
    upcast = upcasters().get(event)
    return Version(
        number=event.schema_version,
        meaning=said(event),
        upcast=said(upcast) if upcast else None,
        schema=schema_of(event),
    )


@cache
def _written() -> Mapping[str, set[str]]:
    """Which files make objects of which class, by the classes' names."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for room in WRITERS:
        for path in (ROOT / room).rglob("*.py"):
            if not path.name.endswith("events.py"):
                for name in _made_in(path):
                    found[name].add(path.relative_to(ROOT).as_posix())
    return found


def _made_in(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
                yield name
