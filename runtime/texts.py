"""Keep personal text out of the log: encrypted per person, referred to by id and digest."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from uuid import UUID

from cryptography.fernet import Fernet, InvalidToken

from runtime.canonical import keyed_digest
from runtime.event_types import TextRef
from runtime.ids import new_id
from runtime.models import PersonalKey, PersonalText, Run
from runtime.personal_keys import living_keys, opened

ERASED = "[erased]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Vault:
    """One person's key, for texts that another table keeps: they are erased with it."""

    key: bytes = field(repr=False)

    def lock(self, text: str) -> str:
        return Fernet(self.key).encrypt(text.encode()).decode()

    def unlock(self, kept: str) -> str:
        """The text; what this key does not open, or nobody locked, stays as it is."""
        try:
            return Fernet(self.key).decrypt(kept.encode()).decode()
        except InvalidToken:
            return kept

    def digest_key(self, name: str) -> bytes:
        """A key for digests that tell nothing once the person's own is erased."""
        return hmac.digest(self.key, name.encode(), "sha256")


@dataclass(frozen=True, slots=True, kw_only=True)
class Keeper:
    """Texts that are kept together; each has its reference before it is stored."""

    workspace: UUID
    kept: list[tuple[TextRef, bytes, str]] = field(default_factory=list)

    def keep(self, text: str) -> TextRef:
        digest_key = secrets.token_bytes(32)
        ref = TextRef(id=new_id(), digest=keyed_digest(digest_key, text))
        self.kept.append((ref, digest_key, text))
        return ref

    def keep_optional(self, text: str | None) -> TextRef | None:
        return None if text is None else self.keep(text)


def about_person(person: UUID) -> str:
    return f"person:{person}"


def about_run(run: Run) -> str:
    return about_order(run.order_key, run.pk)


def about_order(order_key: str | None, run: UUID) -> str:
    """Whose data a run's texts are: its order's customer, or else the run's own subject."""
    return f"order:{order_key}" if order_key else f"run:{run}"


@contextmanager
def keeping(workspace: UUID, about: str, *, by: str | None = None) -> Iterator[Keeper]:
    """Store what is kept in this block when it ends; the caller is in a transaction.

    What is about one person and by another takes the keys of both to read: whoever is
    erased, it is gone.
    """
    keeper = Keeper(workspace=workspace)
    yield keeper
    if not keeper.kept:
        return
    whose = [about] if by is None or by == about else [about, by]
    living = living_keys(workspace, whose)
    keys = [living[subject] for subject in whose]
    PersonalText.objects.bulk_create(_row(workspace, keys, *each) for each in keeper.kept)


def read_texts(ids: Iterable[UUID | None]) -> dict[UUID, str]:
    """Answer every text asked for, in one query; an erased one reads ERASED."""
    wanted = {each for each in ids if each is not None}
    rows = PersonalText.objects.select_related("key", "author_key").filter(pk__in=wanted)
    return {row.pk: _plain(row) for row in rows}


def vault(workspace: UUID, subject: str) -> Vault:
    """The key of one person; the caller is in a transaction, for it may have to be made."""
    return Vault(key=opened(living_keys(workspace, [subject])[subject]))


def _row(
    workspace: UUID, keys: list[PersonalKey], ref: TextRef, digest_key: bytes, text: str
) -> PersonalText:
    sealed = text.encode()
    for key in keys:
        sealed = Fernet(opened(key)).encrypt(sealed)
    return PersonalText(
        pk=ref.id,
        workspace_id=workspace,
        key=keys[0],
        author_key=keys[1] if len(keys) > 1 else None,
        ciphertext=sealed,
        digest_key=digest_key,
    )


def _plain(row: PersonalText) -> str:
    keys = [key for key in (row.author_key, row.key) if key is not None]
    if row.ciphertext is None or any(key.wrapped is None for key in keys):
        return ERASED
    sealed = bytes(row.ciphertext)
    for key in keys:
        sealed = Fernet(opened(key)).decrypt(sealed)
    return sealed.decode()
