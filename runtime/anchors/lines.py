"""One line of an anchor file: what it says, who signed it, and whether it says so rightly."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal, Self
from uuid import UUID

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from pydantic import BaseModel, ConfigDict, ValidationError

from runtime import merkle
from runtime.canonical import canonical

FIRST: Final = "0" * 64
# A run, a position, and the hash of the event that stands there.
Head = tuple[UUID, int, str]


class Statement(BaseModel):
    """What is signed: of one workspace's outbox, the runs that moved in (`after`, `upto`].

    `root` is over the head that each of these runs had at `upto`; `previous` is the digest of
    the statement before, so that each speaks for all before it as well.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["countersign-anchor@1"] = "countersign-anchor@1"
    number: int
    at: datetime
    previous: str
    workspace: UUID
    after: int
    upto: int
    heads: int
    root: str
    key: str


class Line(BaseModel):
    """A statement as signed, to the letter, and the heads that its root is over."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    statement: str
    signature: str
    heads: tuple[Head, ...]

    @classmethod
    def parsed(cls, text: str | bytes) -> Self | None:
        """The line, or None for what is none: torn by a crash, or written by nobody of ours."""
        try:
            line = cls.model_validate_json(text)
            Statement.model_validate_json(line.statement)
        except ValidationError:
            return None
        return line

    @property
    def says(self) -> Statement:
        return Statement.model_validate_json(self.statement)

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.statement.encode()).hexdigest()


@dataclass(slots=True, kw_only=True)
class Chain:
    """How far a file's lines have come; `upto` has the outbox number of each workspace."""

    number: int = 0
    digest: str = FIRST
    upto: dict[UUID, int] = field(default_factory=dict)

    def follow(self, line: Line) -> None:
        says = line.says
        self.number, self.digest = says.number, line.digest
        self.upto[says.workspace] = says.upto

    def is_followed_by(self, says: Statement) -> bool:
        here = (self.number + 1, self.digest, self.upto.get(says.workspace, 0))
        return (says.number, says.previous, says.after) == here


def leaf(head: Head) -> bytes:
    run, position, link = head
    return f"{run} {position} {link}".encode()


def public_key(key: Ed25519PrivateKey) -> str:
    return key.public_key().public_bytes_raw().hex()


def signed(
    chain: Chain,
    key: Ed25519PrivateKey,
    *,
    at: datetime,
    workspace: UUID,
    upto: int,
    heads: Sequence[Head],
) -> Line:
    """Write the chain's next line about one workspace."""
    says = Statement(
        number=chain.number + 1,
        at=at,
        previous=chain.digest,
        workspace=workspace,
        after=chain.upto.get(workspace, 0),
        upto=upto,
        heads=len(heads),
        root=merkle.root([leaf(head) for head in heads]),
        key=public_key(key),
    )
    text = canonical(says.model_dump(mode="json"))
    return Line(statement=text, signature=key.sign(text.encode()).hex(), heads=tuple(heads))


def flaw(line: Line, trusted: Collection[str]) -> str | None:
    """Why a line by itself proves nothing, or None."""
    says = line.says
    if says.key not in trusted:
        return f"is signed with a key that is not known here, {says.key}"
    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(says.key))
        public.verify(bytes.fromhex(line.signature), line.statement.encode())
    except (InvalidSignature, ValueError):
        return "does not bear the signature of its key"
    found = merkle.root([leaf(head) for head in line.heads])
    if (len(line.heads), found) != (says.heads, says.root):
        return "lists other heads than were signed"
    return None
