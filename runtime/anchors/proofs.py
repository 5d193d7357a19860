"""Prove that a run's head is in an anchor to somebody who has that run's log and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from runtime import merkle
from runtime.anchors.lines import Line, leaf


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """A signed statement, and the way from one head to the root it states."""

    statement: str
    signature: str
    run: UUID
    position: int
    hash: str
    path: tuple[merkle.Step, ...]


def proofs_of(path: Path, run: UUID, *, upto: int) -> Iterator[Proof]:
    """Every anchor of a run up to a position, oldest first; one pass over the file."""
    if not path.exists():
        return
    wanted = str(run).encode()
    with path.open("rb") as file:
        for text in file:
            # Looking for the id is a hundred times quicker than reading the line.
            line = Line.parsed(text) if wanted in text else None
            if line is not None:
                yield from (proof for proof in _proofs(line, run) if proof.position <= upto)


def _proofs(line: Line, run: UUID) -> Iterator[Proof]:
    for index, (named, position, link) in enumerate(line.heads):
        if named == run:
            yield Proof(
                statement=line.statement,
                signature=line.signature,
                run=run,
                position=position,
                hash=link,
                path=tuple(merkle.path([leaf(head) for head in line.heads], index)),
            )
