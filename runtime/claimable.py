"""What workers may claim: every row that is waiting for one, whether or not a timer says so."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.db.models import Exists, F, OuterRef, UUIDField, Value
from django.db.models.functions import Now

from runtime.calls import ADVANCE, OBSERVE, TAKE_NOTICE, WAKE_GRACE
from runtime.execution.verification import WATCHED_FOR
from runtime.models import (
    CALLS_UNDER_WAY,
    CALLS_WATCHED,
    SESSION_WRITE_OPEN,
    Notice,
    Observation,
    ProviderAccount,
    Run,
    ToolCall,
)
from runtime.sessions.left_open import SETTLE
from runtime.states import CallStatus
from runtime.sweeps import Found, sweeps, without_timer

# A confirmed refund is read again after an hour at the earliest: there is no hurry.
WATCHED_EVERY: Final = timedelta(minutes=1)


@sweeps("calls", ADVANCE)
def calls_under_way() -> Found:
    """Permitted, on their way, in doubt, or executed and not yet seen to be."""
    calls = without_timer(ADVANCE, ToolCall.objects.filter(CALLS_UNDER_WAY))
    return calls.order_by().values_list("pk", "run_id")


@sweeps("confirmed calls", ADVANCE, every=WATCHED_EVERY)
def calls_watched() -> Found:
    watched = ToolCall.objects.filter(CALLS_WATCHED, confirmed_at__gt=Now() - WATCHED_FOR)
    return without_timer(ADVANCE, watched).order_by().values_list("pk", "run_id")


@sweeps("proposed calls", OBSERVE)
def calls_never_observed() -> Found:
    """Whoever decides wants to see the payment; the wake-up after the proposal was lost."""
    proposed = ToolCall.objects.filter(
        Exists(ProviderAccount.objects.filter(workspace=OuterRef("workspace"))),
        ~Exists(Observation.objects.filter(tool_call=OuterRef("pk"))),
        execution_status=CallStatus.PROPOSED,
        proposed_at__lt=Now() - WAKE_GRACE,
    )
    return without_timer(OBSERVE, proposed).order_by().values_list("pk", "run_id")


@sweeps("notices", TAKE_NOTICE)
def notices_not_taken() -> Found:
    waiting = without_timer(TAKE_NOTICE, Notice.objects.filter(taken_at=None))
    of_no_run = Value(None, output_field=UUIDField())
    return waiting.order_by().annotate(run_id=of_no_run).values_list("pk", "run_id")


@sweeps("session appends", SETTLE, grace=WAKE_GRACE)
def session_writes_left_open() -> Found:
    """An append that was meant, by a process that may have died before it was made."""
    runs = without_timer(SETTLE, Run.objects.filter(SESSION_WRITE_OPEN))
    return runs.order_by().annotate(run_id=F("pk")).values_list("pk", "run_id")
