"""Whether a history can be shown to a model: every output has its call, and only one. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from runtime.sessions.digests import written

CALL: Final = "function_call"
OUTPUT: Final = "function_call_output"
WITHHELD: Final = "Output withheld: what the tool answered could not be kept, and nothing follows."


def flaw(texts: Sequence[str]) -> str | None:
    """Say why a history is not well formed, or None. Calls at its end may be unanswered."""
    called: set[str] = set()
    answered: set[str] = set()
    for number, item in enumerate(map(json.loads, texts), start=1):
        key = str(item.get("call_id", ""))
        match item.get("type"):
            case "function_call" if key in called:
                return f"Item {number} makes a call that was made before."
            case "function_call":
                called.add(key)
            case "function_call_output" if key not in called:
                return f"Item {number} answers a call that was not made."
            case "function_call_output" if key in answered:
                return f"Item {number} answers a call for the second time."
            case "function_call_output":
                answered.add(key)
            case _ if "role" in item and called - answered:
                return f"Item {number} comes before the answer to a call."
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
    items: Iterator[dict[str, Any]] = map(json.loads, texts)
    return (str(item.get("call_id", "")) for item in items if item.get("type") == kind)
