"""Keep personal text out of the log: encrypted per person, referred to by id and digest."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable, Iterator, Sequence
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
    """The keys of people, for texts that another table keeps: erased with any of them."""

    keys: tuple[bytes, ...] = field(repr=False)

    def lock(self, text: str) -> str:
        return _locked(text.encode(), self.keys).decode()

    def unlock(self, kept: str) -> str:
        """The text; what these keys do not open, or nobody locked, stays as it is."""
        try:
            return _unlocked(kept.encode(), self.keys).decode()
        except InvalidToken:
            return kept

    def digest_key(self, name: str) -> bytes:
        """A key for digests that tell nothing once the person's own is erased."""
        return hmac.digest(self.keys[0], name.encode(), "sha256")


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
    """Whose data a run's texts are: its customer's, or else the run's own."""
    return run.about or f"run:{run.pk}"


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
    keys = _living(workspace, whose)
    vault = Vault(keys=tuple(map(opened, keys)))
    PersonalText.objects.bulk_create(
        PersonalText(
            pk=ref.id,
            workspace_id=workspace,
            key=keys[0],
            author_key=keys[1] if len(keys) > 1 else None,
            ciphertext=vault.lock(text).encode(),
            digest_key=digest_key,
        )
        for ref, digest_key, text in keeper.kept
    )


def read_texts(ids: Iterable[UUID | None]) -> dict[UUID, str]:
    """Answer every text asked for, in one query; an erased one reads ERASED."""
    wanted = {each for each in ids if each is not None}
    rows = PersonalText.objects.select_related("key", "author_key").filter(pk__in=wanted)
    return {row.pk: _plain(row) for row in rows}


def vault(workspace: UUID, *whose: str) -> Vault:
    """The keys of these people; the caller is in a transaction, for some may have to be made."""
    return Vault(keys=tuple(map(opened, _living(workspace, whose))))


def digest_keys(ids: Iterable[UUID]) -> dict[UUID, bytes]:
    """The keys that the digests of these texts were made with; of an erased text there is none."""
    rows = PersonalText.objects.filter(pk__in=ids, digest_key__isnull=False)
    return {key: bytes(kept) for key, kept in rows.values_list("pk", "digest_key") if kept}


def _living(workspace: UUID, whose: Sequence[str]) -> list[PersonalKey]:
    living = living_keys(workspace, whose)
    return [living[subject] for subject in whose]


def _plain(row: PersonalText) -> str:
    keys = [key for key in (row.key, row.author_key) if key is not None]
    if row.ciphertext is None or any(key.wrapped is None for key in keys):
        return ERASED
    return _unlocked(bytes(row.ciphertext), [opened(key) for key in keys]).decode()


def _locked(text: bytes, keys: Sequence[bytes]) -> bytes:
    for key in keys:
        text = Fernet(key).encrypt(text)
    return text


def _unlocked(kept: bytes, keys: Sequence[bytes]) -> bytes:
    for key in reversed(keys):
        kept = Fernet(key).decrypt(kept)
    return kept
