"""Ask the provider once, with no transaction and no lock, and record the answer (T3)."""

from __future__ import annotations

from typing import assert_never

from django.db import transaction

from runtime import events as e
from runtime import leases
from runtime.artifacts import arguments_of
from runtime.calls import ADVANCE, wake
from runtime.capabilities import require
from runtime.event_log import LockedRun
from runtime.execution.attempts import STOPPING, Claim, mark_sent, request_of
from runtime.execution.locking import attempts_of, lock_call
from runtime.execution.pauses import pause
from runtime.execution.settling import (
    close_attempt,
    leave_unknown,
    may_have_effect,
    pull_back,
    settle,
)
from runtime.models import Attempt, ToolCall
from runtime.pause_points import pause_at
from runtime.projections import record_attempt
from runtime.providers import answers as a
from runtime.providers.protocol import Provider
from runtime.states import AttemptClose, CallStatus
from runtime.timers import set_timer


def send(claim: Claim, provider: Provider) -> None:
    departure = mark_sent(claim)
    if departure is None:
        return
    pause_at("after_sent")
    if leases.ticks() >= departure.by:
        # Halted for so long that the call has been taken over: what left now could pay late.
        return
    call = departure.call
    arguments = arguments_of(call)
    if arguments is None:
        # Erased since it was marked: nothing left, and the look-up will say so.
        return
    answer = require(call.capability).perform(provider, arguments, request_of(call))
    pause_at("after_answer")
    record_answer(claim, answer)
    pause_at("after_record")


@transaction.atomic(durable=True)
def record_answer(claim: Claim, answer: a.Answer) -> None:
    """Record what was answered; it becomes a state only while the lease is still ours."""
    locked, call = lock_call(claim.call_id)
    attempts = attempts_of(call)
    attempt = next(each for each in attempts if each.pk == claim.attempt_id)
    if leases.is_held(call, claim.token, locked.now):
        with locked.together():
            _take_in(locked, call, attempt, answer, is_first=not may_have_effect(attempts))
    else:
        _record_late(locked, call, attempt, answer)


def _take_in(
    locked: LockedRun, call: ToolCall, attempt: Attempt, answer: a.Answer, *, is_first: bool
) -> None:
    match answer:
        case a.Failed(code=code) if not is_first:
            # It says no to this attempt, and nothing of an earlier one whose answer was lost.
            close_attempt(locked, call, attempt, AttemptClose.ANSWERED, code)
            leave_unknown(locked, call, code)
        case a.Accepted() | a.Completed() | a.Failed():
            close_attempt(locked, call, attempt, AttemptClose.ANSWERED, "answered")
            settle(locked, call, answer, "answer")
        case a.Throttled() | a.Misconfigured() | a.NotSent():
            close_attempt(locked, call, attempt, _closed_as(answer), answer.code)
            _try_later(locked, call, attempt)
        case a.LookFirst(code=code):
            close_attempt(locked, call, attempt, AttemptClose.ANSWERED, code)
            leave_unknown(locked, call, code)
        case a.Unknown(code=code):
            close_attempt(locked, call, attempt, AttemptClose.UNKNOWN, code)
            leave_unknown(locked, call, code)
        case _:
            assert_never(answer)


def _record_late(locked: LockedRun, call: ToolCall, attempt: Attempt, answer: a.Answer) -> None:
    """Keep a late answer as an observation; whoever holds the call now looks for itself."""
    late = e.ToolAttemptAnsweredLate(
        answer=type(answer).__name__.lower(), result_ref=getattr(answer, "result_ref", None)
    )
    record_attempt(locked, call, attempt, late)
    if call.execution_status == CallStatus.MANUAL_HANDOFF:
        wake(locked, call)


def _closed_as(answer: a.NotExecuted) -> AttemptClose:
    match answer:
        case a.Throttled():
            return AttemptClose.THROTTLED
        case a.Misconfigured():
            return AttemptClose.MISCONFIGURED
        case a.NotSent():
            return AttemptClose.NEVER_SENT
        case _:
            assert_never(answer)


def _try_later(locked: LockedRun, call: ToolCall, attempt: Attempt) -> None:
    """Nothing was executed: pull back from a stopping run, or come again with the same key."""
    if locked.is_stopping:
        pull_back(locked, call, code=STOPPING.code, detail=STOPPING.detail)
        return
    leases.give_up(locked, call)
    due_at = locked.now + pause(attempt.number)
    set_timer(ADVANCE, run=locked.run, subject=call.pk, due_at=due_at)
