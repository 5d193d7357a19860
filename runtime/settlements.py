"""Put on record what people say became of a call that was handed to them."""

from __future__ import annotations

from typing import Final, assert_never

from runtime import events as e
from runtime import leases
from runtime.calls import ADVANCE, settle_stop
from runtime.commands import Refusal
from runtime.event_log import LockedRun
from runtime.gates import gate
from runtime.models import ToolCall
from runtime.projections import record_call
from runtime.reservations import release
from runtime.states import CallStatus, SettledAs, VerificationStatus
from runtime.timers import clear_timer

FAILED: Final = "An admin says that the provider refused it."
NOT_EXECUTED: Final = "An admin says that nothing was executed."
UNSEEN: Final = "People say that it was executed; nobody has seen the money yet."


def off_the_desk(call: ToolCall) -> Refusal | None:
    """Say that a call is not, or no longer, in people's hands."""
    if call.execution_status == CallStatus.MANUAL_HANDOFF:
        return None
    return Refusal(
        http_status=409,
        code="not_handed_off",
        detail=f"The call is {call.execution_status}; only one handed to people is settled.",
        extra={"execution_status": call.execution_status},
    )


def settle_by_people(locked: LockedRun, call: ToolCall, settled: e.ToolCallSettled) -> None:
    """Take a call off the desk; whoever is looking it up right now loses their lease."""
    leases.give_up(locked, call)
    record_call(locked, call, settled)
    gate().close(locked, call, "call_settled")
    match settled.outcome:
        case SettledAs.COMPLETED:
            _complete(locked, call, settled)
        case SettledAs.FAILED:
            _fail(locked, call, settled, code="settled_as_failed", detail=FAILED)
        case SettledAs.NOT_EXECUTED:
            _fail(locked, call, settled, code="settled_as_not_executed", detail=NOT_EXECUTED)
        case _:
            assert_never(settled.outcome)
    clear_timer(ADVANCE, subject=call.pk)
    settle_stop(locked)


def _complete(locked: LockedRun, call: ToolCall, settled: e.ToolCallSettled) -> None:
    """What is reserved stays so: the money is believed to have moved."""
    # A call on the desk has no reference of the provider's, or one that proved nothing.
    ref = settled.result_ref or call.result_ref or f"settlement:{settled.approval}"
    record_call(locked, call, e.ToolCallCompleted(result_ref=ref))
    if call.verification_status != VerificationStatus.INCONCLUSIVE:
        unseen = e.OutcomeInconclusive(source="person", result_ref=ref, detail=UNSEEN)
        record_call(locked, call, unseen)


def _fail(
    locked: LockedRun, call: ToolCall, settled: e.ToolCallSettled, *, code: str, detail: str
) -> None:
    failed = e.ToolCallFailed(code=code, detail=detail, result_ref=settled.result_ref)
    record_call(locked, call, failed)
    release(call, locked.now)
