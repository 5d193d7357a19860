"""Give the application's role its rights and limits, and see that it has no others.

Run by the owner of the tables, as often as one likes: what is as it should be is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import dj_database_url
from django.conf import settings
from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper
from psycopg import sql

from console.database.grants import excess, grant
from console.database.rights import application_rights
from console.embedded.data_dir import Endpoints


class RolesError(Exception):
    """The roles are not as they should be; the text is one line that says what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    name: str
    password: str


def are_separate(servers: Endpoints) -> bool:
    return servers.owner_url != servers.database_url


def grant_application() -> list[str]:
    """Make the role that DATABASE_URL names where it is missing; answer what was changed.

    Raises RolesError, and then nothing was changed.
    """
    role, rights = _application(settings.SERVERS), application_rights()
    with transaction.atomic(), connection.cursor() as cursor:
        changes = [*_make(cursor, role), *_limit(cursor, role), *grant(cursor, role.name, rights)]
        if more := excess(cursor, role.name, rights):
            raise RolesError(
                f"{role.name} may do more than it should: {', '.join(more[:5])}. Is it a "
                "superuser, a member of the owner, or is this open to everybody (PUBLIC)?"
            )
    return changes


def _application(servers: Endpoints) -> Role:
    ours, theirs = map(dj_database_url.parse, (servers.database_url, servers.owner_url))
    if not ours["USER"] or ours["USER"] == theirs["USER"]:
        raise RolesError(
            "DATABASE_URL and OWNER_DATABASE_URL have to name two roles: the application's, "
            "and the owner of the tables."
        )
    return Role(name=ours["USER"], password=ours["PASSWORD"] or "")


def _make(cursor: CursorWrapper, role: Role) -> Iterator[str]:
    cursor.execute("SELECT FROM pg_roles WHERE rolname = %s", [role.name])
    if cursor.fetchone() is not None:
        return
    cursor.execute("SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user")
    if cursor.fetchone() != (True,):
        raise RolesError(
            f"There is no role {role.name}, and this one may make none: have an administrator "
            f'run CREATE ROLE "{role.name}" LOGIN with the password of DATABASE_URL.'
        )
    cursor.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(role.name)))
    if role.password:
        _set_password(cursor, role)
    yield f"made the role {role.name}"


def _set_password(cursor: CursorWrapper, role: Role) -> None:
    """Send what the server keeps of a password: no log of statements has it in clear."""
    pgconn = cursor.connection.pgconn
    kept = pgconn.encrypt_password(role.password.encode(), role.name.encode(), b"scram-sha-256")
    change = sql.SQL("ALTER ROLE {} PASSWORD {}")
    cursor.execute(change.format(sql.Identifier(role.name), sql.Literal(kept.decode())))


def _limit(cursor: CursorWrapper, role: Role) -> Iterator[str]:
    """Set what holds for it in this database, whatever a client asks for at its start."""
    cursor.execute(
        "SELECT unnest(setconfig) FROM pg_db_role_setting"
        " WHERE setrole = (SELECT oid FROM pg_roles WHERE rolname = %s)"
        " AND setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))",
        [role.name],
    )
    present = {setting for (setting,) in cursor.fetchall()}
    for name, seconds in settings.LIMITS.items():
        if f"{name}={seconds}s" in present:
            continue
        _require_power(cursor, role)
        cursor.execute(
            sql.SQL("ALTER ROLE {} IN DATABASE {} SET {} = {}").format(
                sql.Identifier(role.name),
                sql.Identifier(connection.settings_dict["NAME"]),
                sql.Identifier(name),
                sql.Literal(f"{seconds}s"),
            )
        )
        yield f"set {name} of {role.name} to {seconds} s"


def _require_power(cursor: CursorWrapper, role: Role) -> None:
    """Since PostgreSQL 16 a role is altered by those who were given it to administer."""
    cursor.execute(
        "SELECT rolsuper OR rolcreaterole AND"
        " (current_setting('server_version_num')::int < 160000"
        " OR pg_has_role(%s, 'USAGE WITH ADMIN OPTION'))"
        " FROM pg_roles WHERE rolname = current_user",
        [role.name],
    )
    if cursor.fetchone() != (True,):
        limits = " and ".join(
            f"ALTER ROLE \"{role.name}\" SET {name} = '{seconds}s'"
            for name, seconds in settings.LIMITS.items()
        )
        raise RolesError(
            f"The role cannot be given its limits: have an administrator run {limits}."
        )
