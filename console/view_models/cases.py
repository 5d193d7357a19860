"""What somebody has to look after, as pages and programs see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from console.view_models.approvals import EffectView
from runtime.states import CaseKind

SENTENCES: Final[Mapping[CaseKind, str]] = {
    CaseKind.FAILED_AFTER_SUCCESS: (
        "It was confirmed, and failed afterwards: the customer does not have the money."
    ),
    CaseKind.EFFECT_AFTER_FAILURE: (
        "It was said to be without effect, and the provider shows an effect of it."
    ),
}
OWNERS: Final[Mapping[str, str]] = {"admin": "the admins"}


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseView:
    """`owner` is the role whose desk it lies on."""

    id: UUID
    kind: CaseKind
    owner: str
    opened_at: datetime

    @property
    def sentence(self) -> str:
        return SENTENCES[self.kind]

    @property
    def owned_by(self) -> str:
        return OWNERS[self.owner]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseCard:
    """An open case with its call's effect and the run where it happened. Page only."""

    case: CaseView
    run: UUID
    call: UUID
    effect: EffectView


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCases:
    """How many are open, and the oldest of them. Page only."""

    count: int
    shown: tuple[CaseCard, ...]

    @property
    def left_out(self) -> int:
        return self.count - len(self.shown)
