"""Gates for tests of the runtime alone: one that never says no, one that says what it is told."""

from __future__ import annotations

from typing import ClassVar

from runtime.event_log import LockedRun
from runtime.gates import Admission, CloseReason, Go, Spending, Spent
from runtime.ids import new_id
from runtime.models import ToolCall


class OpenGate:
    """Lets everything go at once, so that only the runtime's own guards are left."""

    def admit(self, locked: LockedRun, call: ToolCall) -> Admission:
        return Go(not_before=locked.now)

    def spend(self, locked: LockedRun, call: ToolCall) -> Spending:
        return Spent(approval_id=new_id())

    def revise(self, locked: LockedRun, call: ToolCall) -> Admission:
        return self.admit(locked, call)

    def close(self, locked: LockedRun, call: ToolCall, reason: CloseReason) -> None:
        """Nothing was granted."""


class ToldGate(OpenGate):
    """Answers from two lists, in order; when they are empty, it is open."""

    admissions: ClassVar[list[Admission]] = []
    spendings: ClassVar[list[Spending]] = []

    def admit(self, locked: LockedRun, call: ToolCall) -> Admission:
        return self.admissions.pop(0) if self.admissions else super().admit(locked, call)

    def spend(self, locked: LockedRun, call: ToolCall) -> Spending:
        return self.spendings.pop(0) if self.spendings else super().spend(locked, call)
