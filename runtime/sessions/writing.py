"""Carry an append out: meant on record first, tried second, judged by the history itself."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction

from runtime import session_events as s
from runtime.event_log import Cause, LockedRun, lock_run
from runtime.models import AgentSession, Run, SessionWrite
from runtime.pause_points import pause_at
from runtime.projections import record_run
from runtime.sessions.classify import (
    GOES_ON,
    Head,
    Identity,
    Intent,
    classify,
    classify_at_rest,
)
from runtime.sessions.digests import SCHEME, SERIALIZATION, digest_of
from runtime.sessions.store import (
    append,
    digest_key,
    identity_of,
    lock_session,
    observe,
    session_of,
    vault_of,
)


def known_head(run: Run) -> Head:
    """How far the history goes by the run's own log."""
    return Head(revision=run.session_revision, count=run.session_count, digest=run.session_digest)


def batch_digest(session: AgentSession, batch: Sequence[str]) -> str:
    return digest_of(digest_key(session), batch)


def batch_of(write: SessionWrite) -> list[str]:
    vault = vault_of(write.run)
    return [vault.unlock(text) for text in write.batch]


def intend(locked: LockedRun, attempt_token: str, batch: Sequence[str]) -> UUID:
    """Put an append on record before it is tried; it comes after all the log knows of."""
    session = session_of(locked.run)
    identity, before, vault = identity_of(session), known_head(locked.run), vault_of(locked.run)
    write = SessionWrite.objects.create(
        run=locked.run,
        session=session.pk,
        implementation=identity.implementation,
        namespace=identity.namespace,
        epoch=identity.epoch,
        base_revision=before.revision,
        before_count=before.count,
        before_digest=before.digest,
        batch=[vault.lock(text) for text in batch],
        batch_digest=batch_digest(session, batch),
        attempt_token=attempt_token,
        serialization=SERIALIZATION,
        scheme=SCHEME,
    )
    intended = s.SessionWriteIntended(
        write=write.pk,
        session=session.pk,
        implementation=identity.implementation,
        namespace=identity.namespace,
        epoch=identity.epoch,
        before=session_head(before),
        batch_count=len(batch),
        batch_digest=write.batch_digest,
        serialization=SERIALIZATION,
        scheme=SCHEME,
    )
    record_run(locked, intended)
    return write.pk


def settle_writes(run_id: UUID, cause: Cause, *, just_meant: UUID | None = None) -> None:
    """Find out what became of the append that is open, and make it where it was not made.

    `just_meant` was put on record by the caller and never tried: there is nothing to judge.
    """
    while (write := _to_make(run_id, cause, just_meant)) is not None:
        pause_at("before_append")
        made = append(write.session, _before(write), write.attempt_token, batch_of(write))
        pause_at("after_append")
        if made is not None:
            _record_made(run_id, cause, write, made)
        just_meant = None


@transaction.atomic(durable=True)
def _to_make(run_id: UUID, cause: Cause, just_meant: UUID | None) -> SessionWrite | None:
    """Judge the history as it is; answer the append that is still to be made."""
    locked = lock_run(run_id, cause=cause)
    run = locked.run
    if run.session_write is None or run.session_doubt is not None or run.ended_as is not None:
        return None
    write = SessionWrite.objects.select_related("run").get(pk=run.session_write)
    if write.pk == just_meant:
        return write
    own = frozenset(SessionWrite.objects.filter(run=run).values_list("attempt_token", flat=True))
    seen = observe(lock_session(run), _before(write))
    verdict = classify(_intent(write), seen, own)
    _record(locked, write.pk, verdict, seen.head)
    return write if verdict is s.Verdict.UNCHANGED else None


@transaction.atomic(durable=True)
def _record_made(run_id: UUID, cause: Cause, write: SessionWrite, head: Head) -> None:
    """The store has answered; unless somebody else has judged this append meanwhile."""
    locked = lock_run(run_id, cause=cause)
    if locked.run.session_write == write.pk and locked.run.session_doubt is None:
        _record(locked, write.pk, s.Verdict.COMMITTED, head)


def judge_at_rest(locked: LockedRun) -> None:
    """No append is open: whatever is there beyond what the log knows came from elsewhere."""
    if locked.run.session_write is not None or locked.run.session_doubt is not None:
        return
    known = known_head(locked.run)
    seen = observe(lock_session(locked.run), known)
    if verdict := classify_at_rest(known, seen):
        _record(locked, None, verdict, seen.head)


def _record(locked: LockedRun, write: UUID | None, verdict: s.Verdict, head: Head) -> None:
    classified = s.SessionWriteClassified(
        write=write, verdict=verdict, goes_on=verdict in GOES_ON, seen=session_head(head)
    )
    record_run(locked, classified)


def _before(write: SessionWrite) -> Head:
    return Head(revision=write.base_revision, count=write.before_count, digest=write.before_digest)


def _intent(write: SessionWrite) -> Intent:
    return Intent(
        identity=Identity(
            implementation=write.implementation,
            namespace=write.namespace,
            epoch=write.epoch,
            session=str(write.session),
        ),
        before=_before(write),
        batch_count=len(write.batch),
        batch_digest=write.batch_digest,
        attempt_token=write.attempt_token,
        serialization=write.serialization,
        scheme=write.scheme,
    )


def session_head(head: Head) -> s.SessionHead:
    return s.SessionHead(revision=head.revision, count=head.count, digest=head.digest)
