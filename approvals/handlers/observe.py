"""Take in what an admin saw of an effect with their own eyes, and what they show for it."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.db import transaction

from approvals.commands import ObserveOutcome
from approvals.handlers.commanded import OnCall, by_admin
from runtime.commanded import Commanded
from runtime.commands import Actor, Answer
from runtime.events import OutcomeConfirmedFailure, OutcomeConfirmedSuccess, OutcomeObserved
from runtime.evidence import keep_evidence
from runtime.outcomes import record_outcome, unobservable
from runtime.projections import record_call
from runtime.receipts import once_per_command_id
from runtime.states import VerificationStatus

SEEN: Final = "An admin saw that the effect took place."
NOT_SEEN: Final = "An admin saw that the effect did not take place."


@once_per_command_id
@transaction.atomic(durable=True)
def observe(actor: Actor, call_id: UUID, command: ObserveOutcome) -> Answer:
    """Confirm an outcome by a person's observation, where the table lists the move.

    Raises ToolCall.DoesNotExist for one of another workspace.
    """
    commanded = by_admin(actor, call_id, command, kind="observe")
    if not isinstance(commanded, Commanded):
        return commanded
    refusal = unobservable(commanded.subject, command.confirmed)
    if refusal is None:
        _record(commanded, command)
    return commanded.answer(refusal, None)


def _record(commanded: OnCall, command: ObserveOutcome) -> None:
    locked, call = commanded.locked, commanded.subject
    with commanded.keeping() as kept:
        evidence = keep_evidence(kept, command.pieces)
    observed = OutcomeObserved(by=commanded.actor.name, status=command.confirmed, evidence=evidence)
    record_call(locked, call, observed)
    ref = call.result_ref
    if command.confirmed is VerificationStatus.CONFIRMED_SUCCESS:
        seen = OutcomeConfirmedSuccess(source="person", result_ref=ref, detail=SEEN)
        record_outcome(locked, call, seen)
    else:
        unseen = OutcomeConfirmedFailure(source="person", result_ref=ref, detail=NOT_SEEN)
        record_outcome(locked, call, unseen)
