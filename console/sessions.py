"""Sessions in the database, asked for only by a key that could be one."""

from __future__ import annotations

from django.contrib.sessions.backends.base import VALID_KEY_CHARS
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore


class SessionStore(DatabaseStore):
    def __init__(self, session_key: str | None = None) -> None:
        """A cookie may hold anything, even what PostgreSQL refuses to compare."""
        is_key = set(session_key or "") <= set(VALID_KEY_CHARS)
        super().__init__(session_key if is_key else None)
