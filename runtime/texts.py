"""Keep personal text out of the log: encrypted per person, referred to by id and digest."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from uuid import UUID

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings

from runtime.canonical import canonical, keyed_digest
from runtime.event_types import TextRef
from runtime.models import PersonalKey, PersonalText, Workspace

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


def about_person(person: UUID) -> str:
    return f"person:{person}"


def about_order(order_key: str | None, run: UUID) -> str:
    """Whose data a run's texts are: its order's customer, or else the run's own subject."""
    return f"order:{order_key}" if order_key else f"run:{run}"


def keep(workspace: UUID, subject: str, text: str) -> TextRef:
    """Store a text under its person's key; the caller is in a transaction."""
    key = _key(workspace, subject)
    digest_key = secrets.token_bytes(32)
    row = PersonalText.objects.create(
        workspace_id=workspace,
        key=key,
        ciphertext=_unwrap(key).encrypt(text.encode()),
        digest_key=digest_key,
    )
    return TextRef(id=row.pk, digest=keyed_digest(digest_key, text))


def keep_optional(workspace: UUID, subject: str, text: str | None) -> TextRef | None:
    return None if text is None else keep(workspace, subject, text)


def read_texts(ids: Iterable[UUID | None]) -> dict[UUID, str]:
    """Answer every text asked for, in one query; an erased one reads ERASED."""
    wanted = {each for each in ids if each is not None}
    rows = PersonalText.objects.select_related("key").filter(pk__in=wanted)
    return {row.pk: _plain(row) for row in rows}


def erase(workspace: Workspace, subject: str) -> None:
    """Destroy one person's key and texts; ids and digests in the log stay and verify."""
    keys = PersonalKey.objects.filter(workspace=workspace, subject=subject)
    PersonalText.objects.filter(key__in=keys).update(ciphertext=None, digest_key=None)
    keys.update(wrapped=None)


def vault(workspace: UUID, subject: str) -> Vault:
    """The key of one person; the caller is in a transaction, for it may have to be made."""
    return Vault(key=_opened(_key(workspace, subject)))


def seal(secret: str) -> bytes:
    """Encrypt a credential at rest under the installation's own key."""
    return _master().encrypt(secret.encode())


def unseal(sealed: bytes) -> str:
    return _master().decrypt(bytes(sealed)).decode()


def fingerprint(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """Recognise a value again without telling it to whoever reads the database."""
    return keyed_digest(settings.DATA_KEY.encode(), canonical(value))


def _plain(row: PersonalText) -> str:
    if row.ciphertext is None or row.key.wrapped is None:
        return ERASED
    return _unwrap(row.key).decrypt(bytes(row.ciphertext)).decode()


def _key(workspace: UUID, subject: str) -> PersonalKey:
    wrapped = _master().encrypt(Fernet.generate_key())
    key, _ = PersonalKey.objects.get_or_create(
        workspace_id=workspace, subject=subject, defaults={"wrapped": wrapped}
    )
    if key.wrapped is None:
        key.wrapped = wrapped
        key.save(update_fields=["wrapped"])
    return key


def _unwrap(key: PersonalKey) -> Fernet:
    return Fernet(_opened(key))


def _opened(key: PersonalKey) -> bytes:
    return _master().decrypt(bytes(key.wrapped or b""))


def _master() -> Fernet:
    return _fernet(settings.DATA_KEY)


@cache
def _fernet(key: str) -> Fernet:
    return Fernet(key)
