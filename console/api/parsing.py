"""From bytes and query strings to validated commands, or to a refusal that names the field."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final, Never, TypeVar

from django.http import HttpRequest, QueryDict, UnreadablePostError
from django.utils.http import parse_header_parameters
from pydantic import BaseModel, ValidationError

from console.api.problems import MALFORMED, ProblemError, invalid, refusal
from runtime.canonical import unsafe
from runtime.commands import Refusal

MOST_BYTES: Final = 1_000_000
DEEPEST: Final = 32
# Beyond it two programs may read two different numbers (RFC 8785, I-JSON).
LARGEST_NUMBER: Final = 2**53 - 1

BAD_TEXT: Final = "Text must hold no NUL and no half of a surrogate pair."
BAD_NUMBER: Final = "Whole numbers go up to 9,007,199,254,740,991."
TOO_DEEP: Final = f"Values are nested at most {DEEPEST} deep."

UNSUPPORTED: Final = refusal(415, "unsupported_media_type", "Bodies are application/json in UTF-8.")

M = TypeVar("M", bound=BaseModel)


def read_body(request: HttpRequest, most: int) -> bytes:
    """Read no more than a body may have, whatever Content-Length says or leaves out."""
    if _declared_length(request) > most:
        raise ProblemError(too_large(most))
    try:
        body: bytes = request.read(most + 1)
    except UnreadablePostError:
        raise ProblemError(MALFORMED) from None
    if len(body) > most:
        raise ProblemError(too_large(most))
    return body


def parse_body(model: type[M], request: HttpRequest, body: bytes) -> M:
    if not body:
        raise ProblemError(MALFORMED)
    media_type, parameters = parse_header_parameters(request.META.get("CONTENT_TYPE", ""))
    charset = str(parameters.get("charset", "utf-8")).lower()
    if media_type.lower() != "application/json" or charset not in {"utf-8", "utf8"}:
        raise ProblemError(UNSUPPORTED)
    value = _decoded(body)
    if faults := list(_faults(value, "", 0)):
        raise invalid(faults)
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        raise invalid(_problems(error)) from None


def parse_query(model: type[M], query: QueryDict) -> M:
    """Take query parameters in; one given several times is a list."""
    given = {
        name: values if len(values) > 1 else values[0] for name, values in query.lists() if values
    }
    if faults := list(_faults(given, "", 0)):
        raise invalid(faults)
    try:
        return model.model_validate(given)
    except ValidationError as error:
        raise invalid(_problems(error)) from None


def too_large(most: int) -> Refusal:
    return refusal(413, "too_large", f"The body is larger than {most:,} bytes.")


def _declared_length(request: HttpRequest) -> int:
    with suppress(ValueError):
        return int(request.META.get("CONTENT_LENGTH") or 0)
    return 0


def _decoded(body: bytes) -> Any:  # noqa: ANN401
    try:
        return json.loads(
            body.decode(),
            object_pairs_hook=_each_key_once,
            parse_constant=_not_a_number,
            parse_float=_finite,
        )
    except (ValueError, RecursionError):
        raise ProblemError(MALFORMED) from None


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def _not_a_number(name: str) -> Never:
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError("the number is too large")
    return value


def _faults(value: Any, field: str, depth: int) -> Iterator[tuple[str, str]]:  # noqa: ANN401
    """What no store or hash can keep exactly, by the field it stands in."""
    if flaw := _flaw(value, depth):
        yield field, flaw
        return
    inside: list[tuple[str | int, Any]] = []
    match value:
        case dict():
            yield from ((_joined(field, key), BAD_TEXT) for key in value if unsafe(key))
            inside.extend(value.items())
        case list():
            inside.extend(enumerate(value))
    for key, part in inside:
        yield from _faults(part, _joined(field, key), depth + 1)


def _flaw(value: Any, depth: int) -> str | None:  # noqa: ANN401
    match value:
        case str():
            return BAD_TEXT if unsafe(value) else None
        case int():
            return BAD_NUMBER if abs(value) > LARGEST_NUMBER else None
        case dict() | list():
            return TOO_DEEP if depth == DEEPEST else None
        case _:
            return None


def _problems(error: ValidationError) -> Iterator[tuple[str, str]]:
    for found in error.errors(include_url=False, include_input=False, include_context=False):
        yield ".".join(map(str, found["loc"])) or "body", found["msg"]


def _joined(field: str, part: str | int) -> str:
    return f"{field}.{part}" if field else str(part)
