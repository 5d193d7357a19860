"""One text for one value (RFC 8785), and the digests taken over it."""

from __future__ import annotations

import hashlib
import hmac
from typing import Any

import rfc8785

from runtime.errors import UnsafeTextError


def canonical(value: Any) -> str:  # noqa: ANN401
    """Write a JSON value the one way RFC 8785 allows.

    Raises UnsafeTextError where a string holds what PostgreSQL cannot keep.
    """
    if unsafe(value):
        raise UnsafeTextError
    return rfc8785.dumps(value).decode()


def digest(value: Any) -> str:  # noqa: ANN401
    """SHA-256 over the canonical text, 64 lower-case hex digits."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def effect_digest(capability: str, arguments: dict[str, Any]) -> str:
    """What an approval is bound to: this capability@version with these arguments."""
    return digest({"capability": capability, "arguments": arguments})


def keyed_digest(key: bytes, text: str) -> str:
    """HMAC-SHA-256: worthless for guessing the text once the key is erased."""
    return hmac.digest(key, text.encode(), "sha256").hex()


def unsafe(value: Any) -> bool:  # noqa: ANN401
    """Tell whether a NUL or a lone surrogate stands anywhere inside."""
    match value:
        case str():
            return "\x00" in value or any("\ud800" <= char <= "\udfff" for char in value)
        case dict():
            return any(unsafe(part) for pair in value.items() for part in pair)
        case list() | tuple():
            return any(unsafe(part) for part in value)
        case _:
            return False
