"""Look at where a call is, and do what is due: any number of times, by any worker."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction

from runtime.calls import ADVANCE
from runtime.events import Source
from runtime.execution import looking_up, recovery, spending, verification
from runtime.execution.locking import lock_call
from runtime.execution.reading import Reading, dispatched_to, find_account, read_payment
from runtime.execution.sending import send
from runtime.models import ToolCall
from runtime.pause_points import pause_at
from runtime.providers.accounts import open_provider
from runtime.states import CALL_IN_DOUBT, CallStatus
from runtime.timers import clear_timer

RESTING = frozenset(
    {
        CallStatus.PROPOSED,
        CallStatus.REFUSED,
        CallStatus.CANCELLED,
        CallStatus.ABORTED,
        CallStatus.FAILED,
    }
)


def advance(call_id: UUID) -> None:
    call = ToolCall.objects.get(pk=call_id)
    if call.execution_status == CallStatus.AUTHORIZED:
        _dispatch(call)
    elif call.execution_status == CallStatus.DISPATCHING:
        _dispatch_again(call)
    elif call.execution_status in CALL_IN_DOUBT:
        look_up(call, "read")
    elif verification.is_watched(call):
        _verify(call)
    else:
        _rest(call_id)


def _dispatch(call: ToolCall) -> None:
    account = find_account(call)
    if account is None:
        spending.refuse_without_account(call.pk)
        return
    provider = open_provider(account)
    reading = read_payment(call, provider)
    pause_at("before_intent")
    claim = spending.spend(call.pk, account, reading)
    if claim is not None:
        pause_at("after_intent")
        send(claim, provider)


def _dispatch_again(call: ToolCall) -> None:
    token = recovery.take_up(call.pk)
    if token is None:
        return
    provider = open_provider(dispatched_to(call))
    claim = recovery.open_next(call.pk, token, read_payment(call, provider))
    if claim is not None:
        send(claim, provider)


def look_up(call: ToolCall, source: Source) -> bool:
    """Ask what became of a call in doubt; answer whether the provider said anything."""
    provider = open_provider(dispatched_to(call))
    found = looking_up.begin(call.pk, source)
    if found is None:
        return False
    reading = read_payment(call, provider)
    claim = looking_up.conclude(found, reading, provider.profile)
    if claim is not None:
        send(claim, provider)
    return isinstance(reading, Reading)


def _verify(call: ToolCall) -> None:
    reading = read_payment(call, open_provider(dispatched_to(call)))
    if isinstance(reading, Reading):
        verification.verify(call.pk, reading)


@transaction.atomic(durable=True)
def _rest(call_id: UUID) -> None:
    """Take the timer off a call that nothing is due for; under the lock, it may have moved."""
    _, call = lock_call(call_id)
    is_settled = call.execution_status in verification.SETTLED
    if call.execution_status in RESTING or (is_settled and not verification.is_watched(call)):
        clear_timer(ADVANCE, subject=call_id)
