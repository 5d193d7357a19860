"""Look at a payment when it is not its call's turn: a page asked, or its provider spoke."""

from __future__ import annotations

from datetime import timedelta
from typing import Final, assert_never
from uuid import UUID

import structlog
from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from runtime import leases
from runtime.calls import OBSERVE, TAKE_NOTICE
from runtime.event_log import LockedRun
from runtime.execution.advance import look_up
from runtime.execution.locking import lock_call, open_attempt_of
from runtime.execution.reading import Reading, find_account, our_refund, read_payment
from runtime.execution.settling import close_attempt, settle
from runtime.execution.verification import take_in
from runtime.models import Notice, ToolCall
from runtime.observations import record_news, record_observation
from runtime.providers.accounts import open_provider
from runtime.providers.answers import word_of
from runtime.providers.matching import Found
from runtime.providers.protocol import Provider
from runtime.states import CALL_IN_DOUBT, AttemptClose, AttemptStatus, CallStatus
from runtime.timers import clear_timer

logger = structlog.get_logger(__name__)
SETTLED: Final = (CallStatus.ACCEPTED, CallStatus.COMPLETED, CallStatus.FAILED)
NEVER_SENT: Final = (CallStatus.REFUSED, CallStatus.CANCELLED, CallStatus.ABORTED)
# Whoever asked the provider hears its answer a moment after us: they speak first.
ANSWER_GRACE: Final = timedelta(seconds=1.5)


def observe_call(call_id: UUID) -> None:
    """Store how a call's payment looks now; pages and decisions read what is stored."""
    call = ToolCall.objects.get(pk=call_id)
    account = find_account(call)
    if account is None:
        logger.warning("no provider account to read the payment from", tool_call=str(call_id))
        return
    reading = read_payment(call, open_provider(account))
    if isinstance(reading, Reading):
        _record(call_id, reading)


def take_notice(notice_id: UUID) -> None:
    """Look at whatever a notice may be about, until all of it was looked at once.

    What the notice itself said is not believed: the provider is asked.
    """
    notice = Notice.objects.select_related("account").get(pk=notice_id)
    if notice.taken_at is None:
        provider = open_provider(notice.account)
        looked = [_look(call, notice, provider) for call in _concerned(notice)]
        if not all(looked):
            return
    _put_away(notice_id)


@transaction.atomic(durable=True)
def _put_away(notice_id: UUID) -> None:
    Notice.objects.filter(pk=notice_id, taken_at=None).update(taken_at=Now())
    clear_timer(TAKE_NOTICE, subject=notice_id)


def _concerned(notice: Notice) -> QuerySet[ToolCall]:
    """The calls that name the payment, or that the refund names, unless they never left."""
    calls = ToolCall.objects.filter(workspace=notice.account.workspace_id)
    named = Q(target=notice.payment) | Q(external_request_id=notice.external_request_id or "")
    return calls.filter(named).exclude(execution_status__in=NEVER_SENT).order_by("pk")


def _look(call: ToolCall, notice: Notice, provider: Provider) -> bool:
    """Answer whether it was looked at; otherwise somebody comes again."""
    if call.execution_status in CALL_IN_DOUBT:
        return look_up(call, "webhook")
    reading = read_payment(call, provider)
    return isinstance(reading, Reading) and _fold(call.pk, reading, notice)


@transaction.atomic(durable=True)
def _record(call_id: UUID, reading: Reading) -> None:
    locked, call = lock_call(call_id)
    if call.execution_status in SETTLED:
        take_in(locked, call, reading, "read")
    else:
        record_observation(locked, call, reading.facts, reading.as_of)
    clear_timer(OBSERVE, subject=call_id)


@transaction.atomic(durable=True)
def _fold(call_id: UUID, reading: Reading, notice: Notice) -> bool:
    """Take a read in, wherever the call is by now."""
    locked, call = lock_call(call_id)
    status = CallStatus(call.execution_status)
    match status:
        case CallStatus.PROPOSED | CallStatus.AUTHORIZED:
            record_news(locked, call, reading.facts, reading.as_of)
        case CallStatus.DISPATCHING:
            return _answer(locked, call, reading, notice)
        case CallStatus.RESULT_UNKNOWN | CallStatus.RECONCILING | CallStatus.MANUAL_HANDOFF:
            return False
        case CallStatus.ACCEPTED | CallStatus.COMPLETED | CallStatus.FAILED:
            take_in(locked, call, reading, "webhook")
        case CallStatus.REFUSED | CallStatus.CANCELLED | CallStatus.ABORTED:
            pass
        case _:
            assert_never(status)
    return True


def _answer(locked: LockedRun, call: ToolCall, reading: Reading, notice: Notice) -> bool:
    """Settle a call whose own answer has not come, where its refund is there to be seen.

    Whoever still waits for that answer loses the lease, and records it as a late one.
    """
    if leases.is_alive(call, locked.now) and locked.now < notice.received_at + ANSWER_GRACE:
        return False
    match our_refund(call, reading.facts):
        case Found(refund=refund):
            record_news(locked, call, reading.facts, reading.as_of)
            _close_open_attempt(locked, call)
            settle(locked, call, word_of(refund.id, refund.status), "webhook")
        case _:
            pass
    return True


def _close_open_attempt(locked: LockedRun, call: ToolCall) -> None:
    attempt = open_attempt_of(call)
    if attempt is not None:
        is_sent = attempt.status == AttemptStatus.SENT
        close = AttemptClose.ANSWERED if is_sent else AttemptClose.NEVER_SENT
        close_attempt(locked, call, attempt, close, "webhook")
