"""Repair a session in doubt: an admin says how its history goes on, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never
from uuid import UUID, uuid4

from django.db import transaction

from runtime import session_events as s
from runtime import texts
from runtime.commands import Actor, Answer, Refusal
from runtime.event_log import Cause, LockedRun, lock_run
from runtime.event_types import TextRef
from runtime.handlers.propose import run_ended
from runtime.models import AgentSession, Run, SessionWrite
from runtime.projections import record_run
from runtime.receipts import body_digest, earlier_answer, once_per_command_id, write_receipt
from runtime.sessions.histories import flaw, withheld
from runtime.sessions.store import append_within, head_now, read_texts, session_of
from runtime.sessions.writing import session_head


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairSession:
    command_id: str
    action: s.Repair
    reason: str


@once_per_command_id
@transaction.atomic(durable=True)
def repair_session(actor: Actor, run_id: UUID, command: RepairSession) -> Answer:
    """Let a run go on with a history that is well formed, or say why none would be.

    Raises Run.DoesNotExist for one of another workspace.
    """
    Run.objects.get(pk=run_id, workspace=actor.workspace)
    locked = lock_run(run_id, cause=Cause(producer="runtime", actor=actor.name))
    body = {"action": command.action, "reason": command.reason}
    fingerprint = body_digest("repair", run_id, body)
    if earlier := earlier_answer(actor, command.command_id, fingerprint):
        return earlier
    about = texts.about_person(actor.person.pk)
    reason = texts.keep(actor.workspace.pk, about, command.reason)
    return write_receipt(
        locked,
        actor,
        command_id=command.command_id,
        kind="repair",
        target=run_id,
        fingerprint=fingerprint,
        refusal=_repair(locked, command.action, reason),
        note=reason.id,
    )


def _repair(locked: LockedRun, action: s.Repair, reason: TextRef) -> Refusal | None:
    run = locked.run
    if run.ended_as is not None:
        return run_ended()
    if run.session_doubt is None:
        return _refusal("not_in_doubt", "The session is not in doubt; nothing is to be repaired.")
    session = AgentSession.objects.select_for_update(no_key=True).get(pk=session_of(run).pk)
    pending = _pending(run)
    if action != "adopt_observed" and not pending:
        return _refusal("nothing_pending", "No append is open that could be made or discarded.")
    observed = read_texts(session)
    more = _more(action, observed, pending)
    if found := flaw([*observed, *more]):
        return _refusal("not_well_formed", f"The history would not be well formed. {found}")
    if more:
        append_within(session, f"repair {uuid4().hex}", more)
    repaired = s.SessionRepaired(
        write=run.session_write, action=action, reason=reason, head=session_head(head_now(session))
    )
    record_run(locked, repaired)
    return None


def _pending(run: Run) -> list[str]:
    if run.session_write is None:
        return []
    batch: list[str] = SessionWrite.objects.get(pk=run.session_write).batch
    return batch


def _more(action: s.Repair, observed: Sequence[str], pending: Sequence[str]) -> list[str]:
    """What the repair adds to the history as it is."""
    match action:
        case "adopt_observed":
            return []
        case "append_pending":
            return list(pending)
        case "discard_pending":
            return withheld(observed, pending)
        case _:
            assert_never(action)


def _refusal(code: str, detail: str) -> Refusal:
    return Refusal(http_status=409, code=code, detail=detail)
