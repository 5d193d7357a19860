"""Who commands, and what every command answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, Literal
from uuid import UUID

from runtime.errors import UnreadableLogError
from runtime.models import Person, Receipt, Workspace

Surface = Literal["browser", "api"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """A member of a workspace, and the door they came through."""

    workspace: Workspace
    person: Person
    surface: Surface
    token: UUID | None = None

    @property
    def name(self) -> str:
        """How the log names them: an id, never a name."""
        return f"person:{self.person.pk}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a command did not apply: a stable code, a sentence, and what goes with it."""

    http_status: int
    code: str
    detail: str
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    receipt: Receipt
    replayed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Refused before the command id (no receipt) or after it (with one)."""

    refusal: Refusal
    receipt: Receipt | None = None
    replayed: bool = False


Answer = Applied | Refused


def log_unreadable(error: UnreadableLogError) -> Refusal:
    return Refusal(
        http_status=503,
        code="log_unreadable",
        detail=f"{error} Nothing is done in this run until the program is brought up to date.",
    )


RUN_ENDED: Final = Refusal(
    http_status=409, code="run_ended", detail="The run has ended or is stopping."
)
