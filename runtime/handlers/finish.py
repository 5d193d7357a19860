"""End a run because its agent says it is done, or take one proposal of it back."""

from __future__ import annotations

from runtime import events as e
from runtime.calls import cancel, cancel_unspent, is_open
from runtime.commands import RUN_ENDED, Refusal
from runtime.event_log import LockedRun
from runtime.event_types import TextRef
from runtime.models import ToolCall
from runtime.projections import record_run
from runtime.states import CallStatus


def finish(locked: LockedRun, *, failed: bool, outcome: TextRef | None) -> Refusal | None:
    """Cancel pending questions and end the run, unless something of it is still open."""
    if locked.is_stopping:
        return RUN_ENDED
    if is_open(locked.run):
        detail = "A call of this run is still on its way, or its result is unknown."
        return Refusal(http_status=409, code="not_settled", detail=detail)
    cancel_unspent(locked, code="run_ended")
    ended = e.RunFailed(outcome=outcome) if failed else e.RunCompleted(outcome=outcome)
    record_run(locked, ended)
    return None


def withdraw(locked: LockedRun, call: ToolCall) -> Refusal | None:
    """Cancel a call that its agent no longer wants, while nothing has been spent on it."""
    if call.execution_status not in {CallStatus.PROPOSED, CallStatus.AUTHORIZED}:
        detail = f"The call is {call.execution_status}; it is too late to withdraw it."
        return Refusal(http_status=409, code="too_late", detail=detail)
    cancel(locked, call, code="withdrawn")
    return None
