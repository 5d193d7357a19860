"""One attempt at a call: opened under a lease, marked sent (T2), and the request it makes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

from django.conf import settings
from django.db import transaction

from runtime import events as e
from runtime import leases
from runtime.calls import ADVANCE
from runtime.capabilities.protocol import Request
from runtime.event_log import LockedRun
from runtime.execution.locking import attempts_of, lock_call
from runtime.execution.settling import close_attempt, leave_unknown, may_have_effect, pull_back
from runtime.models import Attempt, ToolCall
from runtime.observations import facts_of, latest_observation, preconditions_on
from runtime.projections import record_attempt
from runtime.states import AttemptClose, AttemptStatus
from runtime.timers import set_timer

MARGIN_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The right to work on one attempt, for as long as its token is the current one."""

    call_id: UUID
    attempt_id: UUID
    token: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Departure:
    """A call that may be sent, `by` so many ticks of this machine and no later."""

    call: ToolCall
    by: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Obstacle:
    """Why a request that could leave now must not; `then` is where its call goes."""

    code: str
    detail: str
    then: Literal["pull_back", "look_up"] = "pull_back"


STOPPING = Obstacle(code="run_stopped", detail="The run is stopping; nothing more is sent.")
ALREADY_THERE = Obstacle(
    code="already_there", detail="The provider already shows this request.", then="look_up"
)
KEY_EXPIRED = Obstacle(
    code="key_expired", detail="The provider may have forgotten our key.", then="look_up"
)


def open_attempt(locked: LockedRun, call: ToolCall, *, number: int) -> Claim:
    """Put the intent to send on record; the timer outlives whoever holds the lease."""
    token = leases.take(locked, call)
    attempt = Attempt(tool_call=call)
    opened = e.ToolAttemptOpened(number=number, lease_token=token)
    record_attempt(locked, call, attempt, opened)
    due_at = call.lease_until or locked.now
    set_timer(ADVANCE, run=locked.run, subject=call.pk, due_at=due_at)
    return Claim(call_id=call.pk, attempt_id=attempt.pk, token=token)


@transaction.atomic(durable=True)
def mark_sent(claim: Claim) -> Departure | None:
    """Answer the call to send, or None where it must not leave. A lost lease writes nothing."""
    began = leases.ticks()
    locked, call = lock_call(claim.call_id)
    longest_s = settings.PROVIDER_TIMEOUT_S + MARGIN_S
    if not leases.is_held(call, claim.token, locked.now, for_s=longest_s):
        return None
    attempts = attempts_of(call)
    attempt = next(each for each in attempts if each.pk == claim.attempt_id)
    if attempt.status != AttemptStatus.OPENED:
        return None
    if locked.is_stopping:
        locked.led_by = locked.run.last_event
    found = STOPPING if locked.is_stopping else _obstacle(locked.now, call, attempts, longest_s)
    if found is None:
        record_attempt(locked, call, attempt, e.ToolAttemptSent())
        spare_s = leases.left_s(call, locked.now) - settings.PROVIDER_TIMEOUT_S
        return Departure(call=call, by=began + spare_s)
    close_attempt(locked, call, attempt, AttemptClose.NEVER_SENT, found.code)
    if found.then == "look_up":
        leave_unknown(locked, call, found.code)
    else:
        pull_back(locked, call, code=found.code, detail=found.detail)
    return None


def key_until(call: ToolCall) -> datetime:
    """From then on the provider may execute the same key a second time."""
    if call.dispatched_at is None:
        raise ValueError(f"call {call.pk} has not been dispatched")
    return call.dispatched_at + timedelta(seconds=settings.KEY_LIFE_S)


def request_of(call: ToolCall) -> Request:
    """Name the request of a dispatched call: the same for all of its attempts."""
    if call.wire_key is None or call.external_request_id is None:
        raise ValueError(f"call {call.pk} has not been dispatched")
    return Request(
        key=call.wire_key, intent=call.intent, external_request_id=call.external_request_id
    )


def _obstacle(
    now: datetime, call: ToolCall, attempts: list[Attempt], longest_s: float
) -> Obstacle | None:
    """What has changed in the world since the call was spent, as last observed."""
    seen = latest_observation(call)
    facts = None if seen is None else facts_of(seen)
    if facts is not None and call.external_request_id in facts.references:
        return ALREADY_THERE
    if may_have_effect(attempts):
        if now + timedelta(seconds=longest_s) >= key_until(call):
            return KEY_EXPIRED
        if facts is not None and not facts.complete:
            # Without a list our own request looks like somebody else's: the key tells.
            return None
    for each in preconditions_on(call, seen, now):
        if each.ok is not True:
            return Obstacle(code=each.name, detail=each.detail)
    return None
