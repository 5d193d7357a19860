"""Sessions on PostgreSQL: appended by compare-and-set on the head, read back item by item."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Max

from runtime import texts
from runtime.event_log import database_now
from runtime.models import AgentSession, Run, SessionAppend, SessionItem
from runtime.sessions.classify import Append, Head, Identity, Seen
from runtime.sessions.digests import chained, digest_of, fingerprint

IMPLEMENTATION: Final = "countersign-postgresql"


def session_of(run: Run) -> AgentSession:
    """The session of a run, which is made when it is first asked for."""
    session, _ = AgentSession.objects.get_or_create(run=run, workspace_id=run.workspace_id)
    return session


def lock_session(run: Run) -> AgentSession:
    """The same, with its appends waiting; taken after the run's own lock, never before."""
    locked = AgentSession.objects.select_for_update(no_key=True)
    return locked.get(pk=session_of(run).pk)


def identity_of(session: AgentSession) -> Identity:
    return Identity(
        implementation=IMPLEMENTATION,
        namespace=str(session.workspace_id),
        epoch=session.epoch,
        session=str(session.pk),
    )


def vault_of(run: Run) -> texts.Vault:
    """What models are told holds what customers wrote: it is kept, and erased, as theirs."""
    return texts.vault(run.workspace_id, texts.about_run(run))


def digest_key(session: AgentSession) -> bytes:
    return vault_of(session.run).digest_key(str(session.pk))


def stated_head(session: AgentSession) -> Head:
    return Head(revision=session.revision, count=session.count, digest=session.digest)


@transaction.atomic(durable=True)
def append(session_id: UUID, before: Head, attempt_token: str, batch: Sequence[str]) -> Head | None:
    """Append a batch after this very head, or nothing; so the same attempt appends once."""
    locked = AgentSession.objects.select_for_update(no_key=True)
    session = locked.get(pk=session_id)
    if stated_head(session) != before:
        return None
    return append_within(session, attempt_token, batch)


def append_within(session: AgentSession, attempt_token: str, batch: Sequence[str]) -> Head:
    """Append to a session whose row the caller has locked, in the caller's transaction."""
    vault = vault_of(session.run)
    session.revision += 1
    new = SessionAppend.objects.create(
        session=session,
        revision=session.revision,
        attempt_token=attempt_token,
        appended_at=database_now(),
    )
    last = session.items.aggregate(number=Max("number"))["number"] or 0
    SessionItem.objects.bulk_create(
        SessionItem(session=session, append=new, number=number, text=vault.lock(text))
        for number, text in enumerate(batch, start=last + 1)
    )
    session.count += len(batch)
    session.digest = digest_of(digest_key(session), batch, session.digest)
    session.save(update_fields=["revision", "count", "digest"])
    return stated_head(session)


def restate(session: AgentSession, head: Head) -> None:
    """Have a locked session say of itself what its items are."""
    session.revision, session.count, session.digest = head.revision, head.count, head.digest
    session.save(update_fields=["revision", "count", "digest"])


def read_texts(session: AgentSession) -> list[str]:
    return [text for _, text in _read(session)]


def observe(session: AgentSession, known: Head) -> Seen:
    """Read a locked session again, as far as `known` and then append by append."""
    key = digest_key(session)
    history = [(revision, fingerprint(text)) for revision, text in _read(session)]
    before: list[str] = []
    since: dict[int, list[str]] = defaultdict(list)
    for revision, said in history:
        (before if revision <= known.revision else since[revision]).append(said)
    tokens = dict(session.appends.order_by("revision").values_list("revision", "attempt_token"))
    last = max(tokens, default=0)
    return Seen(
        identity=identity_of(session),
        before=Head(
            revision=min(known.revision, last), count=len(before), digest=chained(key, before)
        ),
        appends=tuple(
            _append(key, token, since[brought])
            for brought, token in tokens.items()
            if brought > known.revision
        ),
        head=Head(
            revision=last,
            count=len(history),
            digest=chained(key, (said for _, said in history)),
        ),
        stated=stated_head(session),
    )


def _read(session: AgentSession) -> list[tuple[int, str]]:
    """Each item with the revision that brought it."""
    vault = vault_of(session.run)
    rows = session.items.order_by("number").values_list("append__revision", "text")
    return [(revision, vault.unlock(text)) for revision, text in rows]


def _append(key: bytes, token: str, said: Sequence[str]) -> Append:
    return Append(attempt_token=token, count=len(said), digest=chained(key, said))
