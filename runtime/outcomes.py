"""Put on record what was seen of an effect itself, whoever saw it."""

from __future__ import annotations

from runtime import events as e
from runtime.calls import ADVANCE, settle_stop
from runtime.commands import Refusal
from runtime.event_log import LockedRun
from runtime.models import ToolCall
from runtime.projections import record_call
from runtime.reservations import release
from runtime.states import VERIFICATION_NEXT, CallStatus, VerificationStatus
from runtime.timers import clear_timer

Confirmed = e.OutcomeConfirmedSuccess | e.OutcomeConfirmedFailure


def unobservable(call: ToolCall, status: VerificationStatus) -> Refusal | None:
    """Say why nobody can have seen this of a call, or why it is no news."""
    seen = VerificationStatus(call.verification_status)
    if seen is status:
        detail = f"It is {status} already."
        return _refusal(call, "already_confirmed", detail)
    if status not in VERIFICATION_NEXT.get(seen, frozenset()):
        detail = f"The call is {call.execution_status}: it has no outcome to be seen."
        return _refusal(call, "not_observable", detail)
    return None


def record_outcome(
    locked: LockedRun, call: ToolCall, seen: Confirmed, *, code: str = "observed_failure"
) -> None:
    """Confirm an outcome. The execution follows where the provider had only accepted the call.

    `code` says what kind of failure it is.
    """
    is_accepted = call.execution_status == CallStatus.ACCEPTED
    match seen:
        case e.OutcomeConfirmedSuccess():
            if is_accepted:
                record_call(locked, call, e.ToolCallCompleted(result_ref=call.result_ref or ""))
        case e.OutcomeConfirmedFailure(detail=detail, result_ref=ref):
            if is_accepted:
                record_call(
                    locked, call, e.ToolCallFailed(code=code, detail=detail, result_ref=ref)
                )
            release(call, locked.now)
    record_call(locked, call, seen)
    clear_timer(ADVANCE, subject=call.pk)
    settle_stop(locked)


def _refusal(call: ToolCall, code: str, detail: str) -> Refusal:
    where = {
        "execution_status": call.execution_status,
        "verification_status": call.verification_status,
    }
    return Refusal(http_status=409, code=code, detail=detail, extra=where)
