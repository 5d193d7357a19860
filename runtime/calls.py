"""Moves of a call that several parts of the system make, inside the caller's transaction."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

from django.db import transaction

from runtime import events as e
from runtime.event_log import LockedRun
from runtime.gates import CloseReason, gate
from runtime.models import Attempt, Run, ToolCall
from runtime.projections import record_call, record_run
from runtime.states import AttemptStatus, CallStatus, HeldUp
from runtime.timers import clear_timer, set_timer
from runtime.wake_ups import publish

ADVANCE = "call.advance"
TAKE_NOTICE = "notice.take"
OBSERVE = "call.observe"
# Timers for workers, by the task that wakes one.
WAKES = {
    ADVANCE: "runtime.advance",
    TAKE_NOTICE: "runtime.take_notice",
    OBSERVE: "runtime.observe",
}
# How long a published wake-up has before the timer sends another.
WAKE_GRACE = timedelta(seconds=2)
NOT_YET_SPENT = (CallStatus.PROPOSED, CallStatus.AUTHORIZED)


def authorize(
    locked: LockedRun, call: ToolCall, *, not_before: datetime, approval_id: UUID | None = None
) -> None:
    """Let a proposed call leave from `not_before` on; the gate is asked again when it does."""
    authorized = e.ToolCallAuthorized(not_before=not_before)
    record_call(locked, call, authorized, approval_id=approval_id)
    if not_before > locked.now:
        set_timer(ADVANCE, run=locked.run, subject=call.pk, due_at=not_before)
    else:
        wake(locked, call)


def refuse(
    locked: LockedRun, call: ToolCall, *, code: str, detail: str, approval_id: UUID | None = None
) -> None:
    """Someone or something with authority said no."""
    record_call(locked, call, e.ToolCallRefused(code=code, detail=detail), approval_id=approval_id)
    clear_timer(ADVANCE, subject=call.pk)


def cancel(locked: LockedRun, call: ToolCall, *, code: CloseReason) -> None:
    """Whoever wanted it no longer does; what was asked or granted for it closes first."""
    gate().close(locked, call, code)
    record_call(locked, call, e.ToolCallCancelled(code=code))
    clear_timer(ADVANCE, subject=call.pk)


def cancel_unspent(locked: LockedRun, *, code: CloseReason) -> None:
    unspent = ToolCall.objects.filter(run=locked.run, execution_status__in=NOT_YET_SPENT)
    for call in unspent.order_by("pk"):
        cancel(locked, call, code=code)


def lose_authorization(locked: LockedRun, call: ToolCall, *, code: str, detail: str) -> None:
    """Take a call back to its question, because a person or a policy changed."""
    record_call(locked, call, e.ToolCallAuthorizationLost(code=code, detail=detail))
    clear_timer(ADVANCE, subject=call.pk)


def hold_up(locked: LockedRun, call: ToolCall, code: HeldUp) -> None:
    """Say what outside is in a call's way, unless that stands already."""
    if call.held_up_code != code:
        record_call(locked, call, e.ToolCallHeldUp(code=code))


def wake(locked: LockedRun, call: ToolCall) -> None:
    """Have a worker look at a call once this commits, and again until it has."""
    set_timer(ADVANCE, run=locked.run, subject=call.pk, due_at=locked.now + WAKE_GRACE)
    transaction.on_commit(partial(publish, "runtime.advance", call.pk))


def is_open(run: Run) -> bool:
    """Tell whether an attempt may be out there, or a result is unknown."""
    calls = ToolCall.objects.filter(run=run)
    attempts = Attempt.objects.filter(tool_call__run=run).exclude(status=AttemptStatus.CLOSED)
    undecided = [CallStatus.DISPATCHING, CallStatus.RESULT_UNKNOWN, CallStatus.RECONCILING]
    return attempts.exists() or calls.filter(execution_status__in=undecided).exists()


def settle_stop(locked: LockedRun) -> None:
    """End a stopping run as soon as nothing of it is open any more."""
    run = locked.run
    if run.stop_requested_at and not run.ended_as and not is_open(run):
        record_run(locked, e.RunStopped())
