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
from runtime.gates import Changed, Lost, Spent, Waiting, gate
from runtime.handlers.propose import settle_admission
from runtime.models import ProviderAccount, ToolCall
from runtime.observations import locked_preconditions, record_observation
from runtime.projections import record_call
from runtime.providers.protocol import Unreadable
from runtime.reservations import reserve_for
from runtime.states import CallStatus, HeldUp
from runtime.timers import set_timer

NO_ACCOUNT = "This workspace has no account at the provider."


class NotAsJudgedError(Exception):
    """The payment does not allow what the gate let go; nothing of the spending stays."""

    def __init__(self, problem: Precondition) -> None:
        super().__init__(problem.name)
        self.problem = problem


def spend(call_id: UUID, account: ProviderAccount, reading: Reading | Unreadable) -> Claim | None:
    """Ask the gate under the run's lock; only a claim may send anything."""
    try:
        return _spend(call_id, account, reading)
    except NotAsJudgedError as error:
        _hold_back(call_id, reading, error.problem)
        return None


@transaction.atomic(durable=True)
def _spend(call_id: UUID, account: ProviderAccount, reading: Reading | Unreadable) -> Claim | None:
    locked, call = lock_call(call_id)
    if not _may_leave(locked, call):
        return None
    with locked.together():
        _note(locked, call, reading)
        match gate().spend(locked, call):
            case Spent(approval_id=approval_id):
                _reserve(locked, call, is_read=isinstance(reading, Reading))
                return _dispatch(locked, call, account, approval_id)
            case Waiting() as waiting:
                _wait(locked, call, waiting, _held_up_by(reading))
            case Lost(code=code, detail=detail):
                lose_authorization(locked, call, code=code, detail=detail)
                settle_admission(locked, call, gate().admit(locked, call))
            case Changed(code=code, detail=detail):
                refuse(locked, call, code=code, detail=detail)
            case _ as never:
                assert_never(never)
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


def _note(locked: LockedRun, call: ToolCall, reading: Reading | Unreadable) -> None:
    if isinstance(reading, Reading):
        record_observation(locked, call, reading.facts, reading.as_of)


def _held_up_by(reading: Reading | Unreadable) -> HeldUp:
    return HeldUp.FACTS_UNREADABLE if isinstance(reading, Reading) else reading.code


def _reserve(locked: LockedRun, call: ToolCall, *, is_read: bool) -> None:
    """Set the amount aside if its payment, now locked, still has it: whatever the gate did."""
    judged = locked_preconditions(locked, call)
    if problem := next((each for each in judged if not (is_read and each.ok)), None):
        raise NotAsJudgedError(problem)
    reserve_for(call)


def _wait(locked: LockedRun, call: ToolCall, waiting: Waiting, unreadable: HeldUp) -> None:
    if waiting.code == "facts_unreadable":
        hold_up(locked, call, unreadable)
    set_timer(ADVANCE, run=locked.run, subject=call.pk, due_at=waiting.until)


@transaction.atomic(durable=True)
def _hold_back(call_id: UUID, reading: Reading | Unreadable, problem: Precondition) -> None:
    locked, call = lock_call(call_id)
    if not _may_leave(locked, call):
        return
    _note(locked, call, reading)
    if problem.ok is not False:
        hold_up(locked, call, _held_up_by(reading))
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
    # Whoever spends sends for the first time.
    return open_attempt(locked, call, number=1)


def wire_key(call: ToolCall, account_id: UUID) -> str:
    """43 characters every provider takes: one for each epoch of an intent, at one account."""
    operation = require(call.capability).operation
    said = canonical([call.intent, operation, str(account_id), call.epoch])
    hashed = hashlib.sha256(said.encode()).digest()
    return base64.urlsafe_b64encode(hashed).decode().rstrip("=")
