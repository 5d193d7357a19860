"""See by a later read whether the effect is there: an answer alone proves nothing."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final, assert_never
from uuid import UUID

from django.conf import settings
from django.db import transaction

from runtime import events as e
from runtime.calls import ADVANCE, settle_stop
from runtime.cases import close_case, open_case
from runtime.event_log import LockedRun
from runtime.execution.locking import lock_call
from runtime.execution.reading import Reading, our_refund
from runtime.models import ToolCall
from runtime.observations import facts_of, latest_observation, record_news
from runtime.outcomes import record_outcome, unobservable
from runtime.projections import record_call
from runtime.providers.answers import Accepted, Completed, Failed, Word, word_of
from runtime.providers.facts import PaymentFacts
from runtime.providers.matching import Found
from runtime.states import CallStatus, CaseKind, VerificationStatus
from runtime.timers import clear_timer, set_timer

SETTLED = frozenset({CallStatus.ACCEPTED, CallStatus.COMPLETED})
# A provider may take a refund back for so long after it was confirmed.
WATCHED_FOR: Final = timedelta(days=30)
UNSEEN = "The provider's list of refunds does not show it."
UNLISTED = "The provider does not list refunds."


def awaits_outcome(call: ToolCall) -> bool:
    return (
        call.execution_status in SETTLED and call.verification_status == VerificationStatus.PENDING
    )


def is_watched(call: ToolCall) -> bool:
    """Tell whether reads go on: until an outcome is there, and after it was a success."""
    is_success = call.verification_status == VerificationStatus.CONFIRMED_SUCCESS
    return awaits_outcome(call) or is_success


@transaction.atomic(durable=True)
def verify(call_id: UUID, reading: Reading) -> None:
    take_in(*lock_call(call_id), reading, "read")


def take_in(locked: LockedRun, call: ToolCall, reading: Reading, source: e.Source) -> None:
    """Record what a read says of the outcome of a call that is settled.

    Reads are folded by when they were made, not by when they come in here: one from before
    the last that is known says nothing. What people saw stands until the provider's own
    word changes.
    """
    known = latest_observation(call)
    if known is not None and reading.as_of < known.as_of:
        return
    before = None if known is None else _word(call, facts_of(known))
    record_news(locked, call, reading.facts, reading.as_of)
    word = _word(call, reading.facts)
    status = VerificationStatus(call.verification_status)
    match status:
        case VerificationStatus.PENDING:
            _await(locked, call, reading, word, source)
        case VerificationStatus.INCONCLUSIVE:
            _confirm(locked, call, word, source)
        case VerificationStatus.CONFIRMED_SUCCESS | VerificationStatus.CONFIRMED_FAILURE:
            if word != before:
                _confirm(locked, call, word, source)
            _watch(locked, call)
        case VerificationStatus.NOT_OBSERVED:
            _compare_with_failure(locked, call, word)
        case _:
            assert_never(status)


def _word(call: ToolCall, facts: PaymentFacts) -> Word | None:
    """What the listed refund says that has our result's id, or else our reference."""
    listed = (each for each in facts.refunds if each.id == call.result_ref)
    refund = next(listed, None)
    if refund is None and isinstance(found := our_refund(call, facts), Found):
        refund = found.refund
    return None if refund is None else word_of(refund.id, refund.status)


def _await(
    locked: LockedRun, call: ToolCall, reading: Reading, word: Word | None, source: e.Source
) -> None:
    """While the provider has not finished, the timer comes again by itself."""
    if word is not None:
        _confirm(locked, call, word, source)
    elif not reading.facts.complete or _is_overdue(call, reading.as_of):
        detail = UNSEEN if reading.facts.complete else UNLISTED
        unseen = e.OutcomeInconclusive(source=source, result_ref=call.result_ref, detail=detail)
        record_call(locked, call, unseen)
        clear_timer(ADVANCE, subject=call.pk)
        settle_stop(locked)


def _confirm(locked: LockedRun, call: ToolCall, word: Word | None, source: e.Source) -> None:
    match word:
        case Completed(result_ref=ref):
            if unobservable(call, VerificationStatus.CONFIRMED_SUCCESS) is None:
                detail = "The provider shows the refund as succeeded."
                seen = e.OutcomeConfirmedSuccess(source=source, result_ref=ref, detail=detail)
                record_outcome(locked, call, seen)
        case Failed(code=code, detail=detail, result_ref=failed_ref):
            if unobservable(call, VerificationStatus.CONFIRMED_FAILURE) is None:
                failed = e.OutcomeConfirmedFailure(
                    source=source, result_ref=failed_ref, detail=detail
                )
                record_outcome(locked, call, failed, code=code)
        case Accepted() | None:
            return
        case _:
            assert_never(word)


def _compare_with_failure(locked: LockedRun, call: ToolCall, word: Word | None) -> None:
    """A call that ended without effect moves no more: an effect of it is a case for people."""
    match word:
        case Accepted() | Completed():
            open_case(locked, call, CaseKind.EFFECT_AFTER_FAILURE)
        case Failed():
            close_case(locked, call)


def _watch(locked: LockedRun, call: ToolCall) -> None:
    """Look again when as much time as until now has passed once more, for a month."""
    if call.verification_status != VerificationStatus.CONFIRMED_SUCCESS:
        return
    age = locked.now - (call.confirmed_at or locked.now)
    if age >= WATCHED_FOR:
        clear_timer(ADVANCE, subject=call.pk)
        return
    due_at = locked.now + max(age, timedelta(seconds=settings.FIRST_RECHECK_S))
    set_timer(ADVANCE, run=locked.run, subject=call.pk, due_at=due_at)


def _is_overdue(call: ToolCall, as_of: datetime) -> bool:
    delay = timedelta(seconds=settings.SETTLE_DELAY_S)
    return call.accepted_at is not None and as_of >= call.accepted_at + delay
