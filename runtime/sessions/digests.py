"""One digest for a whole history: each item is chained to all that came before it. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

from runtime.canonical import canonical, keyed_digest
from runtime.errors import UnsafeTextError
from runtime.event_types import GENESIS

SCHEME: Final = "hmac-sha256-chain-of-rfc8785/1"
SERIALIZATION: Final = 1
# What a store writes into an item for itself begins like this, and is not what was said.
BACKEND_KEY: Final = "_"
UNREADABLE: Final = (ValueError, RecursionError, UnsafeTextError)


def written(item: dict[str, Any]) -> str:
    """An item as the store keeps it. Text, because jsonb would change its numbers."""
    return json.dumps(item, ensure_ascii=False, separators=(",", ":"))


def read_item(text: str) -> dict[str, Any] | None:
    """What an item says; None where it says nothing that could be shown to anybody."""
    try:
        item = _said(text)
        canonical(item)
    except UNREADABLE:
        return None
    return item


def fingerprint(text: str) -> str:
    """What of an item enters the digest: all it says, in one form, or else its very text."""
    try:
        return canonical(_said(text))
    except UNREADABLE:
        return text


def chained(key: bytes, fingerprints: Iterable[str], after: str = GENESIS) -> str:
    """The digest of a history, from the digest of what stands before these items."""
    digest = after
    for said in fingerprints:
        digest = keyed_digest(key, f"{digest}\n{said}")
    return digest


def digest_of(key: bytes, texts: Iterable[str], after: str = GENESIS) -> str:
    return chained(key, map(fingerprint, texts), after)


def _said(text: str) -> dict[str, Any]:
    item = json.loads(text)
    if not isinstance(item, dict):
        raise ValueError("no object")  # noqa: TRY004 - one error for whatever is no item
    return {key: value for key, value in item.items() if not key.startswith(BACKEND_KEY)}
