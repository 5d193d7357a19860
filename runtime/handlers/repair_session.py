"""Repair a session in doubt: an admin says how its history goes on, and why."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID, uuid4

from django.db import transaction

from runtime import session_events as s
from runtime.commanded import Commanded
from runtime.commands import RUN_ENDED, Actor, Answer, Refusal
from runtime.event_log import Cause, LockedRun, lock_run
from runtime.event_types import TextRef
from runtime.models import Run
from runtime.projections import record_run
from runtime.receipts import once_per_command_id
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
    commanded = Commanded(
        locked=locked,
        actor=actor,
        subject=locked.run,
        command_id=command.command_id,
        kind="repair",
        body={"action": command.action, "reason": command.reason},
    )
    if earlier := commanded.earlier():
        return earlier
    reason = commanded.keep(command.reason)
    return commanded.answer(_repair(locked, command.action, reason), reason)


def _repair(locked: LockedRun, action: s.Repair, reason: TextRef) -> Refusal | None:
    run = locked.run
    if run.ended_as is not None:
        return RUN_ENDED
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
