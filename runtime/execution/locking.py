"""Lock the run of a call, then read the call: every writer takes this order."""

from __future__ import annotations

from uuid import UUID

from runtime.event_log import Cause, LockedRun, lock_run
from runtime.models import Attempt, ToolCall
from runtime.states import AttemptStatus

CAUSE = Cause(producer="runtime.execution")


def lock_call(call_id: UUID) -> tuple[LockedRun, ToolCall]:
    run_id = ToolCall.objects.values_list("run_id", flat=True).get(pk=call_id)
    locked = lock_run(run_id, cause=CAUSE)
    return locked, ToolCall.objects.get(pk=call_id)


def open_attempt_of(call: ToolCall) -> Attempt | None:
    return Attempt.objects.filter(tool_call=call).exclude(status=AttemptStatus.CLOSED).first()
