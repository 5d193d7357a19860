"""Lock the run of a call, then read the call: every writer takes this order."""

from __future__ import annotations

from uuid import UUID

from runtime.event_log import Cause, LockedRun, lock_run_of
from runtime.models import Attempt, ToolCall
from runtime.states import AttemptStatus

CAUSE = Cause(producer="runtime.execution")


def lock_call(call_id: UUID) -> tuple[LockedRun, ToolCall]:
    locked = lock_run_of(ToolCall, call_id, cause=CAUSE)
    call = ToolCall.objects.get(pk=call_id)
    call.run = locked.run
    return locked, call


def attempts_of(call: ToolCall) -> list[Attempt]:
    return list(Attempt.objects.filter(tool_call=call))


def open_attempt_of(call: ToolCall) -> Attempt | None:
    return Attempt.objects.filter(tool_call=call).exclude(status=AttemptStatus.CLOSED).first()
