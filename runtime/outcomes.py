"""Put on record what was seen of an effect itself, whoever saw it."""

from __future__ import annotations

from datetime import timedelta
from typing import assert_never

from django.conf import settings

from runtime import events as e
from runtime.calls import ADVANCE, settle_stop
from runtime.cases import close_case, open_case
from runtime.commands import Refusal
from runtime.event_log import LockedRun
from runtime.models import ToolCall
from runtime.projections import record_call
from runtime.reservations import release
from runtime.states import VERIFICATION_NEXT, CallStatus, CaseKind, VerificationStatus
from runtime.timers import clear_timer, set_timer

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

    `code` says what kind of failure it is. One that follows a confirmed success opens a case.
    """
    match seen:
        case e.OutcomeConfirmedSuccess():
            _succeed(locked, call, seen)
        case e.OutcomeConfirmedFailure():
            _fail(locked, call, seen, code)
        case _:
            assert_never(seen)
    settle_stop(locked)


def _succeed(locked: LockedRun, call: ToolCall, seen: e.OutcomeConfirmedSuccess) -> None:
    if call.execution_status == CallStatus.ACCEPTED:
        record_call(locked, call, e.ToolCallCompleted(result_ref=call.result_ref or ""))
    record_call(locked, call, seen)
    close_case(locked, call)
    # A success may still turn into a failure, days later.
    due_at = locked.now + timedelta(seconds=settings.FIRST_RECHECK_S)
    set_timer(ADVANCE, run=locked.run, subject=call.pk, due_at=due_at)


def _fail(locked: LockedRun, call: ToolCall, seen: e.OutcomeConfirmedFailure, code: str) -> None:
    was_success = call.verification_status == VerificationStatus.CONFIRMED_SUCCESS
    if call.execution_status == CallStatus.ACCEPTED:
        failed = e.ToolCallFailed(code=code, detail=seen.detail, result_ref=seen.result_ref)
        record_call(locked, call, failed)
    release(call, locked.now)
    record_call(locked, call, seen)
    clear_timer(ADVANCE, subject=call.pk)
    if was_success:
        open_case(locked, call, CaseKind.FAILED_AFTER_SUCCESS)


def _refusal(call: ToolCall, code: str, detail: str) -> Refusal:
    where = {
        "execution_status": call.execution_status,
        "verification_status": call.verification_status,
    }
    return Refusal(http_status=409, code=code, detail=detail, extra=where)
