"""Put on record what became of a call, whoever found out and however."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from runtime import events as e
from runtime import leases
from runtime.calls import ADVANCE, settle_stop
from runtime.event_log import LockedRun
from runtime.execution.locking import attempts_of
from runtime.execution.pauses import pause
from runtime.gates import gate
from runtime.models import Attempt, ToolCall
from runtime.projections import record_attempt, record_call
from runtime.providers.answers import Accepted, Completed, Failed
from runtime.reservations import release
from runtime.states import AttemptClose, AttemptStatus, CallStatus
from runtime.timers import clear_timer, set_timer

WITHOUT_EFFECT = frozenset(
    {AttemptClose.THROTTLED, AttemptClose.MISCONFIGURED, AttemptClose.NEVER_SENT}
)


def settle(
    locked: LockedRun, call: ToolCall, word: Accepted | Completed | Failed, source: e.Source
) -> None:
    """Record the provider's word on a call; what its word is worth, a later read says."""
    leases.give_up(locked, call)
    if call.execution_status == CallStatus.MANUAL_HANDOFF:
        # What people were asked about it is answered.
        gate().close(locked, call, "call_settled")
    match word:
        case Accepted(result_ref=ref):
            record_call(locked, call, e.ToolCallAccepted(result_ref=ref))
            _await_outcome(locked, call, ref, source)
        case Completed(result_ref=ref):
            record_call(locked, call, e.ToolCallCompleted(result_ref=ref))
            _await_outcome(locked, call, ref, source)
        case Failed(code=code, detail=detail, result_ref=ref):
            failed = e.ToolCallFailed(code=code, detail=detail, result_ref=ref)
            record_call(locked, call, failed)
            release(call, locked.now)
            clear_timer(ADVANCE, subject=call.pk)
        case _:
            assert_never(word)
    settle_stop(locked)


def leave_unknown(locked: LockedRun, call: ToolCall, code: str) -> None:
    """Say that the effect may or may not exist, and look it up before anything else."""
    leases.give_up(locked, call)
    record_call(locked, call, e.ToolCallResultUnknown(code=code))
    due_at = locked.now + pause(Attempt.objects.filter(tool_call=call).count())
    set_timer(ADVANCE, run=locked.run, subject=call.pk, due_at=due_at)


def pull_back(locked: LockedRun, call: ToolCall, *, code: str, detail: str) -> None:
    """Abort a call that was spent and provably never executed; otherwise look it up."""
    if may_have_effect(attempts_of(call)):
        leave_unknown(locked, call, code)
        return
    leases.give_up(locked, call)
    record_call(locked, call, e.ToolCallAborted(code=code, detail=detail))
    release(call, locked.now)
    clear_timer(ADVANCE, subject=call.pk)
    settle_stop(locked)


def may_have_effect(attempts: Iterable[Attempt]) -> bool:
    """Tell whether any attempt that is over may have been executed."""
    closed = (each for each in attempts if each.status == AttemptStatus.CLOSED)
    return any(each.close not in WITHOUT_EFFECT for each in closed)


def close_attempt(
    locked: LockedRun, call: ToolCall, attempt: Attempt, close: AttemptClose, code: str
) -> None:
    record_attempt(locked, call, attempt, e.ToolAttemptClosed(close=close, code=code))


def _await_outcome(locked: LockedRun, call: ToolCall, ref: str, source: e.Source) -> None:
    detail = "The provider has it; whether the money moved is read later."
    record_call(locked, call, e.OutcomePending(source=source, result_ref=ref, detail=detail))
    set_timer(ADVANCE, run=locked.run, subject=call.pk, due_at=locked.now + pause(1))
