"""One digest for a list of things, and short proofs that one of them is in it (RFC 6962). Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final, Literal

Step = tuple[Literal["left", "right"], str]
EMPTY: Final = hashlib.sha256(b"").hexdigest()


def root(leaves: Sequence[bytes]) -> str:
    """The tree's head, 64 lower-case hex digits; leaves and nodes are hashed unlike each other."""
    return _root([_leaf(leaf) for leaf in leaves]).hex() if leaves else EMPTY


def path(leaves: Sequence[bytes], index: int) -> list[Step]:
    """What stands beside the way from one leaf to the root, and on which side of it."""
    return _path([_leaf(leaf) for leaf in leaves], index)


def root_from(leaf: bytes, steps: Sequence[Step]) -> str:
    """The root that a leaf and its path amount to."""
    here = _leaf(leaf)
    for side, beside in steps:
        other = bytes.fromhex(beside)
        here = _node(other, here) if side == "left" else _node(here, other)
    return here.hex()


def _root(hashes: Sequence[bytes]) -> bytes:
    if len(hashes) == 1:
        return hashes[0]
    cut = _split(len(hashes))
    return _node(_root(hashes[:cut]), _root(hashes[cut:]))


def _path(hashes: Sequence[bytes], index: int) -> list[Step]:
    if len(hashes) == 1:
        return []
    cut = _split(len(hashes))
    if index < cut:
        return [*_path(hashes[:cut], index), ("right", _root(hashes[cut:]).hex())]
    return [*_path(hashes[cut:], index - cut), ("left", _root(hashes[:cut]).hex())]


def _split(size: int) -> int:
    """The largest power of two below the size."""
    return 1 << (size - 1).bit_length() - 1


def _leaf(content: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + content).digest()


def _node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()
