"""Reading what Stripe's clients send: nested brackets in a form or a query."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qsl

from runtime.sandbox.errors import InvalidParamsError

NAME = re.compile(r"([^\[\]]+)((?:\[[^\[\]]*\])*)\Z")
MAX_FIELDS = 500
MAX_DEPTH = 5

Form = dict[str, Any]


def decode(text: bytes) -> Form:
    """`metadata[intent]=x&expand[]=y` as nested dicts; lists become dicts with counted keys."""
    form: Form = {}
    try:
        pairs = parse_qsl(
            text.decode(), keep_blank_values=True, errors="strict", max_num_fields=MAX_FIELDS
        )
    except ValueError as error:
        raise InvalidParamsError(400, "The request's parameters cannot be read.") from error
    for name, value in pairs:
        _put(form, name, value)
    return form


def _put(form: Form, name: str, value: str) -> None:
    matched = NAME.match(name)
    path = [matched[1], *re.findall(r"\[([^\[\]]*)\]", matched[2])] if matched else []
    if not 0 < len(path) <= MAX_DEPTH:
        raise InvalidParamsError(400, f"Invalid parameter name: {name[:100]}")
    at: Any = form
    for part in path[:-1]:
        at = at.setdefault(part, {})
        if not isinstance(at, dict):
            raise InvalidParamsError(400, f"Invalid object: {path[0]}", param=path[0])
    at[path[-1] or str(len(at))] = value
