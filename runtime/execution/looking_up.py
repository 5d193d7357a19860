"""Find out what became of a call whose answer was lost, before anything else is done."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import assert_never
from uuid import UUID

from django.conf import settings
from django.db import transaction

from runtime import events as e
from runtime import leases
from runtime.calls import ADVANCE, hold_up, settle_stop
from runtime.event_log import LockedRun
from runtime.execution import look_up_verdict as v
from runtime.execution.attempts import Claim, key_until, open_attempt
from runtime.execution.locking import attempts_of, lock_call
from runtime.execution.reading import Reading, our_refund
from runtime.execution.settling import settle
from runtime.models import Attempt, ToolCall
from runtime.observations import observed_preconditions, record_observation
from runtime.projections import record_call
from runtime.providers.answers import Failed, word_of
from runtime.providers.profiles import Profile
from runtime.providers.protocol import Unreadable
from runtime.states import CALL_IN_DOUBT, LOOK_UP_UNAVAILABLE, AttemptClose, CallStatus
from runtime.timers import clear_timer


@dataclass(frozen=True, slots=True, kw_only=True)
class LookUp:
    """The right to say what a look-up found, while its token is the current one."""

    call_id: UUID
    token: int
    source: e.Source


@transaction.atomic(durable=True)
def begin(call_id: UUID, source: e.Source = "read") -> LookUp | None:
    """Take the lease of a call in doubt, unless somebody else is looking."""
    locked, call = lock_call(call_id)
    if call.execution_status not in CALL_IN_DOUBT or leases.is_alive(call, locked.now):
        return None
    token = leases.take(locked, call)
    if call.execution_status == CallStatus.RESULT_UNKNOWN:
        record_call(locked, call, e.ToolCallReconciling())
    return LookUp(call_id=call_id, token=token, source=source)


@transaction.atomic(durable=True)
def conclude(look_up: LookUp, reading: Reading | Unreadable, profile: Profile) -> Claim | None:
    """Act on what was found; a claim means that the same key may be sent again."""
    locked, call = lock_call(look_up.call_id)
    if not leases.is_held(call, look_up.token, locked.now):
        return None
    leases.give_up(locked, call)
    if isinstance(reading, Unreadable):
        verdict: v.Verdict = v.LookAgain(code=LOOK_UP_UNAVAILABLE)
        hold_up(locked, call, reading.code)
    else:
        record_observation(locked, call, reading.facts, reading.as_of)
        verdict = v.decide(_case(locked, call, reading, profile))
    if call.execution_status == CallStatus.MANUAL_HANDOFF:
        _tell_people(locked, call, verdict, look_up.source)
        return None
    return _act(locked, call, verdict, look_up.source)


def _act(locked: LockedRun, call: ToolCall, verdict: v.Verdict, source: e.Source) -> Claim | None:
    match verdict:
        case v.Adopt(refund=refund):
            settle(locked, call, word_of(refund.id, refund.status), source)
        case v.NotApplied(code=code, detail=detail):
            settle(locked, call, Failed(code=code, detail=detail), source)
        case v.SendAgain():
            return open_attempt(locked, call, number=len(attempts_of(call)) + 1)
        case v.LookAgain(code=code):
            # The timer that brought us here comes again by itself, later each time.
            record_call(locked, call, e.ToolCallResultUnknown(code=code))
        case v.HandOff(code=code, detail=detail):
            record_call(locked, call, e.ToolCallHandedOff(code=code, detail=detail))
            clear_timer(ADVANCE, subject=call.pk)
            settle_stop(locked)
        case _:
            assert_never(verdict)
    return None


def _tell_people(locked: LockedRun, call: ToolCall, verdict: v.Verdict, source: e.Source) -> None:
    """A call in people's hands leaves them only for an answer that can be proven."""
    match verdict:
        case v.Adopt(refund=refund):
            settle(locked, call, word_of(refund.id, refund.status), source)
        case v.LookAgain():
            pass
        case _:
            clear_timer(ADVANCE, subject=call.pk)


def _case(locked: LockedRun, call: ToolCall, reading: Reading, profile: Profile) -> v.Case:
    attempts = Attempt.objects.filter(tool_call=call)
    last = attempts.latest("number")
    lost = attempts.filter(close=AttemptClose.UNKNOWN)
    judged = observed_preconditions([call], locked.now)[call.pk]
    return v.Case(
        match=our_refund(call, reading.facts),
        profile=profile,
        now=locked.now,
        quiet_since=last.closed_at or locked.now,
        settle_delay=timedelta(seconds=settings.SETTLE_DELAY_S),
        key_until=key_until(call),
        was_lost=lost.exists(),
        last_code=last.code if last.close == AttemptClose.ANSWERED else None,
        is_stopping=locked.is_stopping,
        problem=next((each for each in judged if each.ok is False), None),
    )
