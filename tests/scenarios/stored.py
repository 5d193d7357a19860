"""What the stack has stored, read by the project's own code: the log against the rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

import dj_database_url
from django.db import connections
from django.db.utils import load_backend

from tests.folded import differences_since
from tests.stack import Stack


@contextmanager
def stored_in(stack: Stack) -> Iterator[None]:
    """Let the models read the stack's database instead of the tests' own."""
    given = dict(dj_database_url.parse(stack.database_url))
    databases = connections.configure_settings({"default": given})
    backend = load_backend(databases["default"]["ENGINE"])
    ours, theirs = connections["default"], backend.DatabaseWrapper(databases["default"])
    connections["default"] = theirs
    try:
        yield
    finally:
        connections["default"] = ours
        theirs.close()


def differences_in(stack: Stack, checked: dict[UUID, int]) -> list[str]:
    with stored_in(stack):
        return differences_since(checked)
