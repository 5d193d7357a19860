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
    Verdict,
    broken_head,
    classify,
)
from runtime.sessions.digests import SCHEME, SERIALIZATION, digest_of
from runtime.sessions.store import append, head_now, identity_of, observe, session_of


def known_head(run: Run) -> Head:
    """How far the history goes by the run's own log."""
    return Head(revision=run.session_revision, count=run.session_count, digest=run.session_digest)


def intend(
    locked: LockedRun, session: AgentSession, attempt_token: str, texts: Sequence[str]
) -> None:
    """Put an append on record before it is tried; it comes after all the log knows of."""
    identity, before = identity_of(session), known_head(locked.run)
    write = SessionWrite.objects.create(
        run=locked.run,
        session=session.pk,
        implementation=identity.implementation,
        namespace=identity.namespace,
        epoch=identity.epoch,
        base_revision=before.revision,
        before_count=before.count,
        before_digest=before.digest,
        batch=list(texts),
        batch_digest=digest_of(texts),
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
        batch_count=len(texts),
        batch_digest=write.batch_digest,
        serialization=SERIALIZATION,
        scheme=SCHEME,
    )
    record_run(locked, intended)


def settle_writes(run_id: UUID, cause: Cause) -> None:
    """Find out what became of the append that is open, and make it where it was not made."""
    while (write := _judged(run_id, cause)) is not None:
        pause_at("before_append")
        append(write.session, write.base_revision, write.attempt_token, write.batch)
        pause_at("after_append")


@transaction.atomic(durable=True)
def _judged(run_id: UUID, cause: Cause) -> SessionWrite | None:
    """Judge the history as it is; answer the append that is still to be made."""
    locked = lock_run(run_id, cause=cause)
    if locked.run.session_doubt is not None:
        return None
    if locked.run.session_write is None:
        return None
    session = session_of(locked.run)
    write = SessionWrite.objects.get(pk=locked.run.session_write)
    verdict = _verdict(locked.run, write, session)
    if verdict is Verdict.UNCHANGED:
        return write
    _record(locked, session, write.pk, verdict)
    return None


def _verdict(run: Run, write: SessionWrite, session: AgentSession) -> Verdict:
    intent = _intent(write)
    own = frozenset(SessionWrite.objects.filter(run=run).values_list("attempt_token", flat=True))
    return classify(intent, observe(session, intent.before), own)


def judge_at_rest(locked: LockedRun) -> None:
    """No append is open: whatever is there beyond what the log knows came from elsewhere."""
    if locked.run.session_write is not None or locked.run.session_doubt is not None:
        return
    session, known = session_of(locked.run), known_head(locked.run)
    seen = observe(session, known)
    if broken := broken_head(known, seen.before):
        _record(locked, session, None, broken)
    elif seen.appends:
        _record(locked, session, None, Verdict.EXTENDED_BY_OTHERS)


def _record(locked: LockedRun, session: AgentSession, write: UUID | None, verdict: Verdict) -> None:
    classified = s.SessionWriteClassified(
        write=write,
        verdict=verdict,
        goes_on=verdict in GOES_ON,
        seen=session_head(head_now(session)),
    )
    record_run(locked, classified)


def _intent(write: SessionWrite) -> Intent:
    return Intent(
        identity=Identity(
            implementation=write.implementation,
            namespace=write.namespace,
            epoch=write.epoch,
            session=str(write.session),
        ),
        before=Head(
            revision=write.base_revision, count=write.before_count, digest=write.before_digest
        ),
        batch_count=len(write.batch),
        batch_digest=write.batch_digest,
        attempt_token=write.attempt_token,
        serialization=write.serialization,
        scheme=write.scheme,
    )


def session_head(head: Head) -> s.SessionHead:
    return s.SessionHead(revision=head.revision, count=head.count, digest=head.digest)
