"""The keys of people: one living key each, found or made, and held until the transaction ends."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final
from uuid import UUID

from cryptography.fernet import Fernet
from django.db import connection

from runtime.data_keys import unwrap, wrap
from runtime.ids import new_id
from runtime.models import PersonalKey

# Whoever erases waits for those who hold a key, and they for nobody but whoever erases.
HELD: Final = """
    SELECT id, subject, wrapped FROM runtime_personalkey
    WHERE workspace_id = %s AND subject = ANY(%s) AND wrapped IS NOT NULL
    FOR KEY SHARE
"""
MADE: Final = """
    INSERT INTO runtime_personalkey (id, workspace_id, subject, wrapped) VALUES (%s, %s, %s, %s)
    ON CONFLICT (workspace_id, subject) WHERE wrapped IS NOT NULL DO NOTHING
    RETURNING id, subject, wrapped
"""
READABLE: Final = """
    SELECT FROM runtime_personaltext AS text JOIN runtime_personalkey AS key ON key.id = text.key_id
    WHERE text.id = %s AND key.wrapped IS NOT NULL
    FOR KEY SHARE OF key
"""


def living_keys(workspace: UUID, subjects: Collection[str]) -> dict[str, PersonalKey]:
    """Answer everybody's key by subject; one that was erased is followed by a new one."""
    found = _rows(HELD, workspace, list(subjects))
    while missing := sorted(set(subjects) - found.keys()):
        for subject in missing:
            wrapped = wrap(Fernet.generate_key())
            found |= _rows(MADE, new_id(), workspace, subject, wrapped)
        if found.keys() != set(subjects):
            # Somebody else made one at the same moment, and has committed it by now.
            found |= _rows(HELD, workspace, missing)
    return found


def is_readable(text: UUID | None) -> bool:
    """Tell whether a text is still there; it stays so until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute(READABLE, [text])
        return cursor.fetchone() is not None


def opened(key: PersonalKey) -> bytes:
    """Raises DataKeyError where no data key of this process opens it."""
    return unwrap(bytes(key.wrapped or b""))


def _rows(statement: str, *values: UUID | str | bytes | list[str]) -> dict[str, PersonalKey]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return {
            subject: PersonalKey(id=key, subject=subject, wrapped=bytes(wrapped))
            for key, subject, wrapped in cursor.fetchall()
        }
