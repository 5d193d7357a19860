"""The anchors of this installation: where they are, who signs them, and whose signature is good."""

from __future__ import annotations

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings

from console.keys import kept_secret, secret_for
from runtime.anchors.files import AnchorFile
from runtime.anchors.keys import signing_key
from runtime.anchors.lines import public_key
from runtime.anchors.writing import Anchoring

NAME = "ANCHOR_KEY"


def anchoring() -> Anchoring:
    """What a relay anchors with. Raises ValueError where ANCHOR_KEY is none."""
    file = AnchorFile(path=settings.ANCHOR_FILE)
    return Anchoring(file=file, key=own_key(), every_s=settings.ANCHOR_EVERY_S)


def own_key() -> Ed25519PrivateKey:
    return signing_key(secret_for(NAME, settings.DATA_DIR))


def trusted_keys() -> frozenset[str]:
    """The public keys set as good, and that of our own key where this machine has it."""
    kept = kept_secret(NAME, settings.DATA_DIR)
    own = [public_key(signing_key(kept))] if kept else []
    return frozenset([*settings.ANCHOR_PUBLIC_KEYS, *own])
