"""Sessions on PostgreSQL: appended by compare-and-set on the revision, read back item by item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Final
from uuid import UUID

from django.db import transaction

from runtime.event_log import database_now
from runtime.models import AgentSession, Run, SessionAppend, SessionItem
from runtime.sessions.classify import Append, Head, Identity, Seen
from runtime.sessions.digests import digest_of

IMPLEMENTATION: Final = "countersign-postgresql"


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """The session is at another revision; nothing was appended."""

    revision: int


def session_of(run: Run) -> AgentSession:
    """The session of a run, which is made when it is first asked for."""
    session, _ = AgentSession.objects.get_or_create(run=run, workspace_id=run.workspace_id)
    return session


def identity_of(session: AgentSession) -> Identity:
    return Identity(
        implementation=IMPLEMENTATION,
        namespace=str(session.workspace_id),
        epoch=session.epoch,
        session=str(session.pk),
    )


@transaction.atomic(durable=True)
def append(
    session_id: UUID, base_revision: int, attempt_token: str, texts: Sequence[str]
) -> Head | Moved:
    """Append a batch at a revision; the same attempt twice appends once."""
    session = AgentSession.objects.select_for_update(no_key=True).get(pk=session_id)
    if session.revision != base_revision:
        return Moved(revision=session.revision)
    return append_within(session, attempt_token, texts)


def append_within(session: AgentSession, attempt_token: str, texts: Sequence[str]) -> Head:
    """Append to a session whose row the caller has locked, in the caller's transaction."""
    session.revision += 1
    new = SessionAppend.objects.create(
        session=session,
        revision=session.revision,
        attempt_token=attempt_token,
        appended_at=database_now(),
    )
    SessionItem.objects.bulk_create(
        SessionItem(session=session, append=new, number=number, text=text)
        for number, text in enumerate(texts, start=session.count + 1)
    )
    session.count += len(texts)
    session.digest = digest_of(texts, session.digest)
    session.save(update_fields=["revision", "count", "digest"])
    return Head(revision=session.revision, count=session.count, digest=session.digest)


def read_texts(session: AgentSession) -> list[str]:
    return list(session.items.order_by("number").values_list("text", flat=True))


def observe(session: AgentSession, known: Head) -> Seen:
    """Read the history again, as far as `known` and then append by append."""
    items = session.items.order_by("number").values_list("append__revision", "text")
    rows = list(items)
    before = [text for revision, text in rows if revision <= known.revision]
    tokens = dict(session.appends.values_list("revision", "attempt_token"))
    since = islice(rows, len(before), None)
    return Seen(
        identity=identity_of(session),
        before=Head(
            revision=min(known.revision, max(tokens, default=0)),
            count=len(before),
            digest=digest_of(before),
        ),
        appends=tuple(
            _append(tokens[revision], [text for _, text in group])
            for revision, group in groupby(since, key=lambda row: row[0])
        ),
    )


def head_now(session: AgentSession) -> Head:
    """How far the history goes by its items, whatever its row says."""
    texts = read_texts(session)
    last = session.appends.order_by("-revision").values_list("revision", flat=True).first()
    return Head(revision=last or 0, count=len(texts), digest=digest_of(texts))


def _append(token: str, texts: Sequence[str]) -> Append:
    return Append(attempt_token=token, count=len(texts), digest=digest_of(texts))
