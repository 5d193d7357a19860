"""Append to a run's session at a known revision, once for every attempt token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction

from runtime.commands import RUN_ENDED, Actor, Refusal
from runtime.event_log import Cause, lock_run
from runtime.models import Run, SessionAppend, SessionWrite
from runtime.receipts import MISMATCH
from runtime.sessions.digests import written
from runtime.sessions.store import session_of
from runtime.sessions.writing import batch_digest, intend, settle_writes


@dataclass(frozen=True, slots=True, kw_only=True)
class AppendItems:
    base_revision: int
    attempt_token: str
    items: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Appended:
    """`created`: by this request, and not by an earlier one of the same attempt."""

    revision: int
    created: bool


def append_items(actor: Actor, run_id: UUID, command: AppendItems) -> Appended | Refusal:
    """Append a batch, or say where the session is now.

    Raises Run.DoesNotExist for what is not the actor's.
    """
    Run.objects.get(pk=run_id, workspace=actor.workspace, account=actor.person)
    cause = Cause(producer="runtime", actor=actor.name)
    while (taken := _take_in(run_id, cause, command)) is None:
        # Whatever another attempt left open is settled before this one is looked at.
        settle_writes(run_id, cause)
    if isinstance(taken, Refusal):
        return taken
    settle_writes(run_id, cause, just_meant=taken.just_meant)
    return _outcome(run_id, command, created=taken.just_meant is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Taken:
    """On record: just now, or by an earlier request of the same attempt."""

    just_meant: UUID | None


@transaction.atomic(durable=True)
def _take_in(run_id: UUID, cause: Cause, command: AppendItems) -> _Taken | Refusal | None:
    """Put the append on record; None while another one is open."""
    locked = lock_run(run_id, cause=cause)
    batch = [written(item) for item in command.items]
    earlier = SessionWrite.objects.filter(run=run_id, attempt_token=command.attempt_token).first()
    if earlier is not None:
        is_same = earlier.batch_digest == batch_digest(session_of(locked.run), batch)
        return _Taken(just_meant=None) if is_same else MISMATCH
    if refusal := _refusal(locked.run):
        return refusal
    if locked.run.session_write is not None:
        return None
    if locked.run.session_revision != command.base_revision:
        return _moved(locked.run)
    return _Taken(just_meant=intend(locked, command.attempt_token, batch))


def _refusal(run: Run) -> Refusal | None:
    if run.ended_as is not None:
        return RUN_ENDED
    return _in_doubt(run) if run.session_doubt is not None else None


def _outcome(run_id: UUID, command: AppendItems, *, created: bool) -> Appended | Refusal:
    """Whether the attempt is in the history: by what is there, not by who asked."""
    run = Run.objects.get(pk=run_id)
    made = SessionAppend.objects.filter(
        session__run=run_id, attempt_token=command.attempt_token
    ).first()
    if made is not None and run.session_doubt is None:
        return Appended(revision=made.revision, created=created)
    return _refusal(run) or _moved(run)


def _in_doubt(run: Run) -> Refusal:
    return Refusal(
        http_status=409,
        code="session_in_doubt",
        detail="The session is not as this run left it; an admin has to repair it first.",
        extra={"verdict": run.session_doubt},
    )


def _moved(run: Run) -> Refusal:
    return Refusal(
        http_status=409,
        code="revision_moved",
        detail="The session is at another revision; read it again.",
        extra={"revision": run.session_revision},
    )
