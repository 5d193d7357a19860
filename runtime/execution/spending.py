"""T1: spend the permission, reserve the amount and put the attempt on record, or do none."""

from __future__ import annotations

import base64
import hashlib
from typing import assert_never
from uuid import UUID, uuid4

from django.db import transaction

from runtime import events as e
from runtime.calls import ADVANCE, hold_up, lose_authorization, refuse
from runtime.canonical import canonical
from runtime.capabilities import Precondition, require
from runtime.event_log import LockedRun
from runtime.execution.attempts import Claim, open_attempt
from runtime.execution.locking import lock_call
from runtime.execution.pauses import pause
from runtime.execution.reading import Reading
from runtime.gates import Changed, Lost, Spending, Spent, Waiting, gate
from runtime.handlers.propose import settle_admission
from runtime.models import ProviderAccount, ToolCall
from runtime.observations import observed_preconditions, record_observation
from runtime.projections import record_call
from runtime.providers.protocol import Unreadable
from runtime.reservations import reserve_for
from runtime.states import CallStatus, HeldUp
from runtime.timers import set_timer

NO_ACCOUNT = "This workspace has no account at the provider."


@transaction.atomic(durable=True)
def spend(call_id: UUID, account: ProviderAccount, reading: Reading | Unreadable) -> Claim | None:
    """Ask the gate under the run's lock; only a claim may send anything."""
    locked, call = lock_call(call_id)
    if not _may_leave(locked, call):
        return None
    if isinstance(reading, Reading):
        record_observation(locked, call, reading.facts, reading.as_of)
    unreadable = HeldUp.FACTS_UNREADABLE if isinstance(reading, Reading) else reading.code
    verdict, problem = _spend_and_reserve(locked, call, is_read=isinstance(reading, Reading))
    if problem is not None:
        # What the gate wrote is undone with its savepoint: count from the stored head again.
        _hold_back(*lock_call(call_id), problem, unreadable)
        return None
    match verdict:
        case Spent(approval_id=approval_id):
            return _dispatch(locked, call, account, approval_id)
        case Waiting() as waiting:
            _wait(locked, call, waiting, unreadable)
        case Lost(code=code, detail=detail):
            lose_authorization(locked, call, code=code, detail=detail)
            settle_admission(locked, call, gate().admit(locked, call))
        case Changed(code=code, detail=detail):
            refuse(locked, call, code=code, detail=detail)
        case _:
            assert_never(verdict)
    return None


@transaction.atomic(durable=True)
def refuse_without_account(call_id: UUID) -> None:
    locked, call = lock_call(call_id)
    if _may_leave(locked, call):
        _refuse(locked, call, code="no_provider_account", detail=NO_ACCOUNT)


def _may_leave(locked: LockedRun, call: ToolCall) -> bool:
    if call.execution_status != CallStatus.AUTHORIZED or locked.is_stopping:
        return False
    if call.not_before is not None and locked.now < call.not_before:
        set_timer(ADVANCE, run=locked.run, subject=call.pk, due_at=call.not_before)
        return False
    return True


def _spend_and_reserve(
    locked: LockedRun, call: ToolCall, *, is_read: bool
) -> tuple[Spending, Precondition | None]:
    """Spend, then check the remainder again under the payment's lock, whatever the gate did."""
    with transaction.atomic():
        verdict = gate().spend(locked, call)
        if not isinstance(verdict, Spent):
            return verdict, None
        reserve_for(call)
        judged = observed_preconditions([call], locked.now)[call.pk]
        problem = next((each for each in judged if not (is_read and each.ok)), None)
        if problem is not None:
            transaction.set_rollback(True)
    return verdict, problem


def _wait(locked: LockedRun, call: ToolCall, waiting: Waiting, unreadable: HeldUp) -> None:
    if waiting.code == "facts_unreadable":
        hold_up(locked, call, unreadable)
    set_timer(ADVANCE, run=locked.run, subject=call.pk, due_at=waiting.until)


def _hold_back(
    locked: LockedRun, call: ToolCall, problem: Precondition, unreadable: HeldUp
) -> None:
    if problem.ok is not False:
        hold_up(locked, call, unreadable)
        set_timer(ADVANCE, run=locked.run, subject=call.pk, due_at=locked.now + pause(1))
    else:
        _refuse(locked, call, code=problem.name, detail=problem.detail)


def _refuse(locked: LockedRun, call: ToolCall, *, code: str, detail: str) -> None:
    """Refuse for the runtime's own reasons: what was granted for the call closes with it."""
    gate().close(locked, call, "refused")
    refuse(locked, call, code=code, detail=detail)


def _dispatch(
    locked: LockedRun, call: ToolCall, account: ProviderAccount, approval_id: UUID
) -> Claim:
    left = e.ToolCallDispatching(
        external_request_id=f"csr_{uuid4().hex}",
        wire_key=wire_key(call, account.pk),
        provider_account=account.pk,
    )
    record_call(locked, call, left, approval_id=approval_id)
    return open_attempt(locked, call)


def wire_key(call: ToolCall, account_id: UUID) -> str:
    """43 characters every provider takes: one for each epoch of an intent, at one account."""
    operation = require(call.capability).operation
    said = canonical([call.intent, operation, str(account_id), call.epoch])
    hashed = hashlib.sha256(said.encode()).digest()
    return base64.urlsafe_b64encode(hashed).decode().rstrip("=")
