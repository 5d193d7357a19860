"""An installation's own keys, the newest first: they wrap people's keys and seal credentials."""

from __future__ import annotations

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings

from runtime.errors import DataKeyError


def wrap(secret: bytes) -> bytes:
    """Encrypt under the newest key; with the older ones, nothing new is ever written."""
    return _all().encrypt(secret)


def unwrap(wrapped: bytes) -> bytes:
    """Raises DataKeyError where no key of this process opens it."""
    try:
        return _all().decrypt(wrapped)
    except InvalidToken:
        raise DataKeyError from None


def rewrapped(wrapped: bytes) -> bytes | None:
    """The same under the newest key, or None where the newest opens it already."""
    newest, *_ = _fernets()
    try:
        newest.decrypt(wrapped)
    except InvalidToken:
        return wrap(unwrap(wrapped))
    return None


def seal(secret: str) -> bytes:
    """Encrypt a credential at rest."""
    return wrap(secret.encode())


def unseal(sealed: bytes) -> str:
    return unwrap(bytes(sealed)).decode()


def _all() -> MultiFernet:
    return MultiFernet(_fernets())


def _fernets() -> list[Fernet]:
    return [Fernet(key) for key in settings.DATA_KEYS]
