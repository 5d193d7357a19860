"""Repair a session in doubt: an admin says how its history goes on, and why."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID, uuid4

from django.db import transaction

from runtime import session_events as s
from runtime import texts
from runtime.commands import Actor, Answer, Refusal
from runtime.event_log import Cause, LockedRun, lock_run
from runtime.event_types import TextRef
from runtime.handlers.propose import run_ended
from runtime.models import Run
from runtime.projections import record_run
from runtime.receipts import body_digest, earlier_answer, once_per_command_id, write_receipt
from runtime.sessions.damage import damage_of
from runtime.sessions.repairs import added, hindrance
from runtime.sessions.store import append_within, lock_session, observe, restate
from runtime.sessions.writing import known_head, session_head


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
    session = lock_session(run)
    damage = damage_of(run, session)
    if damage is None:
        return _refusal("not_in_doubt", "The session is not in doubt; nothing is to be repaired.")
    if found := hindrance(damage, action):
        return _refusal(found.code, found.detail)
    restate(session, observe(session, known_head(run)).head)
    # A revision of its own, even if empty: whoever still holds an older one appends nothing.
    head = append_within(session, f"repair {uuid4().hex}", added(damage, action))
    repaired = s.SessionRepaired(
        write=run.session_write, action=action, reason=reason, head=session_head(head)
    )
    record_run(locked, repaired)
    return None


def _refusal(code: str, detail: str) -> Refusal:
    return Refusal(http_status=409, code=code, detail=detail)
