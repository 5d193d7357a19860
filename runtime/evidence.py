"""What somebody shows for what they say: its words are personal text, kept out of the log."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from runtime import texts
from runtime.events import Evidence
from runtime.models import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceText:
    label: str
    text: str | None = None
    url: str | None = None


def keep_evidence(run: Run, pieces: Iterable[EvidenceText]) -> tuple[Evidence, ...]:
    """Store each piece as data of whomever the run is about; the caller is in a transaction."""
    about = texts.about_order(run.order_key, run.pk)
    return tuple(
        Evidence(
            label=texts.keep(run.workspace_id, about, piece.label),
            text=texts.keep_optional(run.workspace_id, about, piece.text),
            url=texts.keep_optional(run.workspace_id, about, piece.url),
        )
        for piece in pieces
    )
