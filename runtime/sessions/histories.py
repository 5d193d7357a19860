"""Whether a history can be shown to a model: every output has its call, and only one. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from runtime.sessions.digests import read_item, written

CALL: Final = "function_call"
OUTPUT: Final = "function_call_output"
WITHHELD: Final = "Output withheld: what the tool answered could not be kept, and nothing follows."


def flaw(texts: Sequence[str]) -> str | None:
    """Say why a history is not well formed, or None. Calls at its end may be unanswered."""
    called: set[str] = set()
    answered: set[str] = set()
    for number, item in enumerate(map(read_item, texts), start=1):
        if item is None:
            return f"Item {number} cannot be read."
        if found := _flaw(item, called, answered):
            return f"Item {number} {found}"
        if item.get("type") == CALL:
            called.add(_key(item))
        elif item.get("type") == OUTPUT:
            answered.add(_key(item))
    return None


def _flaw(item: dict[str, Any], called: set[str], answered: set[str]) -> str | None:
    key = _key(item)
    match item.get("type"):
        case "function_call" if key in called:
            return "makes a call that was made before."
        case "function_call_output" if key not in called:
            return "answers a call that was not made."
        case "function_call_output" if key in answered:
            return "answers a call for the second time."
        case _ if "role" in item and called - answered:
            return "comes before the answer to a call."
        case _:
            return None


def withheld(texts: Sequence[str], discarded: Sequence[str]) -> list[str]:
    """What stands in a history for answers that were discarded: the call is not left open."""
    lost = set(_keys(discarded, OUTPUT))
    open_calls = [key for key in _keys(texts, CALL) if key not in set(_keys(texts, OUTPUT))]
    return [
        written({"type": OUTPUT, "call_id": key, "output": WITHHELD})
        for key in open_calls
        if key in lost
    ]


def _keys(texts: Sequence[str], kind: str) -> Iterator[str]:
    items = filter(None, map(read_item, texts))
    return (_key(item) for item in items if item.get("type") == kind)


def _key(item: dict[str, Any]) -> str:
    return str(item.get("call_id", ""))
