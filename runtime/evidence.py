"""What somebody shows for what they say: its words are personal text, kept out of the log."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from runtime.events import Evidence
from runtime.texts import Keeper


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceText:
    label: str
    text: str | None = None
    url: str | None = None


def keep_evidence(kept: Keeper, pieces: Iterable[EvidenceText]) -> tuple[Evidence, ...]:
    return tuple(
        Evidence(
            label=kept.keep(piece.label),
            text=kept.keep_optional(piece.text),
            url=kept.keep_optional(piece.url),
        )
        for piece in pieces
    )
