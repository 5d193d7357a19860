"""What is left of a fact's fields when nobody's data may be: each by the table of what is kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, assert_never

from pydantic import JsonValue

from console.reads.casts import Cast
from console.view_models.kept import CLOSED_ARGUMENTS, SAME_AS, Kept, kept

Said = Mapping[str, Any]
# Our codes, and those providers choose; anything longer or wordier could be a sentence.
CODE: Final = re.compile(r"[a-z][a-z0-9_]{0,59}")
OTHER: Final = "other"


def keep_details(
    event_type: str, said: Said, cast: Cast, began: datetime, capability: str | None
) -> dict[str, JsonValue]:
    details: dict[str, JsonValue] = {}
    for name, value in said.items():
        how = kept(event_type, name)
        if how is Kept.ARGUMENTS:
            details[name] = keep_arguments(value, cast, capability)
        elif how is not Kept.LEFT_OUT:
            details[name] = _keep(how, name, value, cast, began)
    return details


def keep_arguments(arguments: Said, cast: Cast, capability: str | None) -> dict[str, JsonValue]:
    closed = CLOSED_ARGUMENTS.get(capability or "", frozenset())
    return {
        name: value if name in closed else cast.pseudonym(name, value)
        for name, value in arguments.items()
    }


def keep_code(code: str | None) -> str | None:
    return code if code is None or CODE.fullmatch(code) else OTHER


def seconds(at: datetime, since: datetime) -> float:
    return round((at - since).total_seconds(), 3)


def _keep(  # noqa: C901, PLR0912 - one line a kind
    how: Kept,
    name: str,
    value: Any,  # noqa: ANN401 - whatever a fact holds
    cast: Cast,
    began: datetime,
) -> JsonValue:
    if how is Kept.PRESENCE:
        return value is not None
    if value is None:
        return None
    match how:
        case Kept.AS_IS:
            kept_value: JsonValue = value
            return kept_value
        case Kept.CODE:
            return keep_code(value)
        case Kept.PSEUDONYM:
            return cast.pseudonym(SAME_AS.get(name, name), value)
        case Kept.SPEAKER:
            return cast.speaker(value)
        case Kept.COUNT:
            return len(value)
        case Kept.SECONDS:
            return seconds(datetime.fromisoformat(value), began)
        case Kept.CALL:
            return cast.calls.get(value)
        case Kept.APPROVAL:
            return cast.approvals.get(value)
        case Kept.HEAD:
            return {"revision": value["revision"], "count": value["count"]}
        case Kept.STANDINGS:
            return [_call(each, cast) | _pick(each, "status", "verification") for each in value]
        case Kept.OBJECTIONS:
            return [_call(each, cast) | _pick(each, "gate") for each in value]
        case Kept.REASONS:
            return sorted(each["because"] for each in value)
        case Kept.ARGUMENTS | Kept.LEFT_OUT:
            return None
        case _:
            assert_never(how)


def _call(said: Said, cast: Cast) -> dict[str, JsonValue]:
    return {"call": cast.calls.get(said["tool_call"])}


def _pick(said: Said, *names: str) -> dict[str, JsonValue]:
    return {name: said[name] for name in names}
