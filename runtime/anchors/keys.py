"""The key that a relay signs with, and the public ones that its anchors are known by."""

from __future__ import annotations

import base64

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


def signing_key(secret: str) -> Ed25519PrivateKey:
    """The key in a secret of 32 bytes in base64url. Raises ValueError for any other."""
    return Ed25519PrivateKey.from_private_bytes(base64.urlsafe_b64decode(secret))
