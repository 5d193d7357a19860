"""One digest for a whole history: each item is chained to all that came before it. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any, Final

from runtime.canonical import canonical
from runtime.event_types import GENESIS

SCHEME: Final = "sha256-chain-of-rfc8785/1"
SERIALIZATION: Final = 1
# What a store writes into an item for itself begins like this, and is not what was said.
BACKEND_KEY: Final = "_"


def written(item: dict[str, Any]) -> str:
    """An item as the store keeps it. Text, because jsonb would change its numbers."""
    return json.dumps(item, ensure_ascii=False, separators=(",", ":"))


def digest_of(texts: Iterable[str], after: str = GENESIS) -> str:
    """The digest of a history, from the digest of what stands before these items."""
    digest = after
    for text in texts:
        digest = hashlib.sha256(f"{digest}\n{_said(json.loads(text))}".encode()).hexdigest()
    return digest


def _said(item: dict[str, Any]) -> str:
    return canonical({key: value for key, value in item.items() if not key.startswith(BACKEND_KEY)})
