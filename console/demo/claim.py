"""Whose database this is: the demo makes an empty one its own, and leaves any other alone."""

from __future__ import annotations

import hashlib

from django.conf import settings
from django.db import connection, transaction

from console.embedded.errors import StartError

MARK = "made_by_the_demo"


@transaction.atomic
def claim(*, fresh: bool) -> None:
    """Mark an empty database as made by the demo of this DATA_DIR, or find that mark.

    `fresh` starts over in a database that a demo made. Raises StartError for any other.
    """
    with connection.cursor() as cursor:
        tables = set(connection.introspection.table_names(cursor))
    if MARK in tables:
        if _mark() in _our_marks():
            # The newest key's, so that the next may come in its place.
            _execute(f"UPDATE {MARK} SET key_digest = %s", _our_marks()[0])  # noqa: S608
            return
        if not fresh:
            raise StartError(
                "Another DATA_DIR's demo made this database, and its keys are there: "
                "choose it with --data, or start over with --fresh."
            )
        _execute("DROP SCHEMA public CASCADE")
        _execute("CREATE SCHEMA public")
    elif tables:
        raise StartError(
            "The database has tables that the demo did not make, so it leaves it alone: "
            "use an empty one, or choose another --data."
        )
    _execute(f"CREATE TABLE {MARK} (key_digest text NOT NULL)")
    _execute(f"INSERT INTO {MARK} VALUES (%s)", _our_marks()[0])  # noqa: S608 - a constant


def _our_marks() -> list[str]:
    """What a database's secrets were sealed with tells whose it is."""
    return [hashlib.sha256(key.encode()).hexdigest() for key in settings.DATA_KEYS]


def _mark() -> str:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT key_digest FROM {MARK}")  # noqa: S608 - a constant
        (digest,) = cursor.fetchone()
    return str(digest)


def _execute(statement: str, *values: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
