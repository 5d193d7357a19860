"""One run, field for field as the API gives it, and what the run page adds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from console.view_models.phrases import BLOCKED
from console.view_models.words import RUN, Word
from runtime.states import RunStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockedView:
    code: str
    since: datetime

    @property
    def sentence(self) -> str:
        return BLOCKED.get(self.code, f"It waits ({self.code}).")


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedView:
    """`event` is the position of the fact that shows it."""

    text: str
    event: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressView:
    verified: tuple[VerifiedView, ...]
    open: tuple[str, ...]
    next_safe_action: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDerived:
    is_busy: bool
    can_stop: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    reading: str
    schema_version: int
    id: UUID
    workspace: str
    agent: str
    goal: str
    success_criterion: str | None
    subject: Mapping[str, Any]
    initiator: str | None
    status: RunStatus
    blocked: BlockedView | None
    position: int
    pending_approvals: tuple[UUID, ...]
    progress: ProgressView | None
    view: RunDerived
    started_at: datetime
    ended_at: datetime | None

    @property
    def word(self) -> Word:
        return RUN[self.status]

    @property
    def about(self) -> tuple[tuple[str, Any], ...]:
        """The subject as pairs: a template would take a key named `items` for the method."""
        return tuple(self.subject.items())

    @property
    def order(self) -> str:
        return str(self.subject.get("order_id") or "")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsView:
    """A page of runs. `next` is the cursor of the following one."""

    runs: tuple[RunView, ...]
    status: str
    q: str
    next: str | None
