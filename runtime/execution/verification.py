"""See by a later read whether the effect is there: an answer alone proves nothing."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction

from runtime import events as e
from runtime.calls import ADVANCE, settle_stop
from runtime.event_log import LockedRun
from runtime.execution.locking import lock_call
from runtime.execution.reading import Reading
from runtime.models import ToolCall
from runtime.observations import record_news
from runtime.outcomes import record_outcome
from runtime.projections import record_call
from runtime.providers.answers import Accepted, Completed, Failed, Word, word_of
from runtime.providers.facts import PaymentFacts
from runtime.states import CallStatus, VerificationStatus
from runtime.timers import clear_timer

SETTLED = frozenset({CallStatus.ACCEPTED, CallStatus.COMPLETED})
SUCCEEDED = "A later read shows the refund as succeeded."
UNSEEN = "The provider's list of refunds does not show it."
UNLISTED = "The provider does not list refunds."


def awaits_outcome(call: ToolCall) -> bool:
    return (
        call.execution_status in SETTLED and call.verification_status == VerificationStatus.PENDING
    )


@transaction.atomic(durable=True)
def verify(call_id: UUID, reading: Reading) -> None:
    """Record what a read says of an outcome that is still pending.

    While the provider has not finished, the timer comes again by itself.
    """
    locked, call = lock_call(call_id)
    if not awaits_outcome(call):
        return
    record_news(locked, call, reading.facts, reading.as_of)
    word = _word(call, reading.facts)
    if word is not None:
        _record_outcome(locked, call, word)
    elif not reading.facts.complete or _is_overdue(call, reading.as_of):
        detail = UNSEEN if reading.facts.complete else UNLISTED
        record_call(locked, call, e.OutcomeInconclusive(**_seen(call, detail)))
        clear_timer(ADVANCE, subject=call.pk)
        settle_stop(locked)


def _word(call: ToolCall, facts: PaymentFacts) -> Word | None:
    """What the listed refund with our result's id says; None when it is not listed."""
    for refund in facts.refunds:
        if refund.id == call.result_ref:
            return word_of(refund.id, refund.status)
    return None


def _record_outcome(locked: LockedRun, call: ToolCall, word: Word) -> None:
    match word:
        case Accepted():
            return
        case Completed():
            seen = e.OutcomeConfirmedSuccess(**_seen(call, SUCCEEDED))
            record_outcome(locked, call, seen)
        case Failed(code=code, detail=detail):
            failed = e.OutcomeConfirmedFailure(**_seen(call, detail))
            record_outcome(locked, call, failed, code=code)


def _is_overdue(call: ToolCall, as_of: datetime) -> bool:
    delay = timedelta(seconds=settings.SETTLE_DELAY_S)
    return call.accepted_at is not None and as_of >= call.accepted_at + delay


def _seen(call: ToolCall, detail: str) -> dict[str, str | None]:
    return {"source": "read", "result_ref": call.result_ref, "detail": detail}
