"""Who may let an external effect happen.

The runtime asks through this protocol and never imports the answerer; the project
names it in settings. Every question is asked inside the runtime's transaction with
the run locked, and every answer is a value: raising would roll back the fact that
says why.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Literal, Protocol
from uuid import UUID

from django.conf import settings
from django.utils.module_loading import import_string

from runtime.event_log import LockedRun
from runtime.models import ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Go:
    """May be dispatched, not before the time given."""

    not_before: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedsPerson:
    """An approval was requested; the call stays proposed."""

    approval_id: UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class Never:
    code: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """The permission is used up by this dispatch."""

    approval_id: UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """Still good, not usable now; `code` is one of the run's blocked codes."""

    code: Literal["hold", "facts_unreadable"]
    until: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """A person or a policy changed: the question must be asked again."""

    code: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """The world changed, or the permission is gone for good: the call is refused."""

    code: str
    detail: str


Admission = Go | NeedsPerson | Never
Spending = Spent | Waiting | Lost | Changed
CloseReason = Literal[
    "run_stopped", "run_ended", "withdrawn", "question_cancelled", "refused", "call_settled"
]


class Gate(Protocol):
    def admit(self, locked: LockedRun, call: ToolCall, /) -> Admission:
        """A call has been proposed, revised or has lost its authorization: may it go?"""

    def spend(self, locked: LockedRun, call: ToolCall, /) -> Spending:
        """The call is about to leave: use the permission up, or say what is in the way."""

    def revise(self, locked: LockedRun, call: ToolCall, /) -> Admission:
        """The call's arguments have changed: the old question is superseded by a new one."""

    def close(self, locked: LockedRun, call: ToolCall, reason: CloseReason, /) -> None:
        """The call is cancelled or settled: so ends whatever was asked or granted for it."""


NO_GATE = "No gate is configured, so nothing may leave."


class ClosedGate:
    """No gate configured: nothing leaves."""

    def admit(self, _locked: LockedRun, _call: ToolCall) -> Admission:
        return Never(code="no_gate", detail=NO_GATE)

    def spend(self, _locked: LockedRun, _call: ToolCall) -> Spending:
        return Changed(code="no_gate", detail=NO_GATE)

    def revise(self, locked: LockedRun, call: ToolCall) -> Admission:
        return self.admit(locked, call)

    def close(self, _locked: LockedRun, _call: ToolCall, _reason: CloseReason) -> None:
        """Nothing was granted, so there is nothing to take back."""


@cache
def _load(name: str | None) -> Gate:
    gate: Gate = import_string(name)() if name else ClosedGate()
    return gate


def gate() -> Gate:
    return _load(settings.RUNTIME_GATE)
