"""Stop a run: a row of facts about what could still be stopped and what could not."""

from __future__ import annotations

from runtime import events as e
from runtime.calls import cancel_unspent, settle_stop, wake
from runtime.commands import RUN_ENDED, Refusal
from runtime.event_log import LockedRun
from runtime.event_types import TextRef
from runtime.models import Attempt, ToolCall
from runtime.projections import record_call, record_run
from runtime.states import AttemptStatus, CallStatus

LEFT_OR_LEAVING = [
    CallStatus.DISPATCHING,
    CallStatus.ACCEPTED,
    CallStatus.RESULT_UNKNOWN,
    CallStatus.RECONCILING,
    CallStatus.MANUAL_HANDOFF,
]


def stop(locked: LockedRun, reason: TextRef | None) -> Refusal | None:
    """Cancel whatever has not been dispatched, and say what can no longer be."""
    if locked.run.ended_as is not None:
        return RUN_ENDED
    if locked.run.stop_requested_at is not None:
        return None
    record_run(locked, e.RunStopRequested(reason=reason))
    cancel_unspent(locked, code="run_stopped")
    calls = ToolCall.objects.filter(run=locked.run, execution_status__in=LEFT_OR_LEAVING)
    for call in calls.order_by("pk"):
        _too_late_or_asked(locked, call)
    settle_stop(locked)
    return None


def _too_late_or_asked(locked: LockedRun, call: ToolCall) -> None:
    if _may_have_left(call):
        record_call(locked, call, e.ToolCallFoundIrreversible())
        return
    record_call(locked, call, e.ToolCallCancellationRequested())
    wake(locked, call)


def _may_have_left(call: ToolCall) -> bool:
    if call.execution_status != CallStatus.DISPATCHING:
        return True
    return Attempt.objects.filter(tool_call=call, status=AttemptStatus.SENT).exists()
