"""Rights to tables as PostgreSQL keeps them: granted where they differ, and looked at in effect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from django.db import connection
from django.db.backends.utils import CursorWrapper
from psycopg import sql

from console.database.rights import Rights

# All that a role can be let do with a table and its rows.
KNOWN: Final = ["SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER"]
NONE: Final = Rights()
HERE: Final = "relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')"


def grant(cursor: CursorWrapper, role: str, wanted: Mapping[str, Rights]) -> Iterator[str]:
    """Give the role these rights to the tables there are, and take all others; say each change."""
    _close(cursor, role)
    for table, present in _granted(cursor, role).items():
        rights = wanted.get(table, NONE)
        if rights == present:
            continue
        names = {"table": sql.Identifier(table), "role": sql.Identifier(role)}
        cursor.execute(sql.SQL("REVOKE ALL ON {table} FROM {role}").format(**names))
        if rights:
            listed = sql.SQL(", ").join(map(sql.SQL, sorted(rights)))
            give = sql.SQL("GRANT {rights} ON {table} TO {role}")
            cursor.execute(give.format(rights=listed, **names))
        yield f"{table}: {', '.join(each for each in KNOWN if each in rights) or 'nothing'}"


def excess(cursor: CursorWrapper, role: str, wanted: Mapping[str, Rights]) -> list[str]:
    """Name what the role may do beyond that, however it comes to it."""
    cursor.execute(
        "SELECT relname, kind FROM pg_class, unnest(%s::text[]) AS kind"  # noqa: S608 - constants
        f" WHERE {HERE} AND has_table_privilege(%s, pg_class.oid, kind)",
        [KNOWN, role],
    )
    found = [
        f"{kind} {name}" for name, kind in cursor.fetchall() if kind not in wanted.get(name, NONE)
    ]
    cursor.execute(
        "SELECT has_schema_privilege(%(role)s, current_schema(), 'CREATE'),"
        " has_database_privilege(%(role)s, current_database(), 'CREATE, TEMPORARY')",
        {"role": role},
    )
    in_schema, in_database = cursor.fetchone()
    found += ["CREATE in the schema"] * in_schema + ["CREATE in the database"] * in_database
    return sorted(found)


def _close(cursor: CursorWrapper, role: str) -> None:
    """Let the role use the schema, and nobody make things: a table of a session hides ours."""
    cursor.execute("SELECT current_schema()")
    (schema,) = cursor.fetchone()
    names = {
        "schema": sql.Identifier(schema),
        "database": sql.Identifier(connection.settings_dict["NAME"]),
        "role": sql.Identifier(role),
    }
    for statement in (
        "GRANT USAGE ON SCHEMA {schema} TO {role}",
        "REVOKE CREATE ON SCHEMA {schema} FROM PUBLIC, {role}",
        "REVOKE CREATE, TEMPORARY ON DATABASE {database} FROM PUBLIC, {role}",
    ):
        cursor.execute(sql.SQL(statement).format(**names))


def _granted(cursor: CursorWrapper, role: str) -> dict[str, Rights]:
    """What each table's own list says of the role."""
    cursor.execute(
        "SELECT relname, array_agg(kind) FILTER (WHERE kind IS NOT NULL)"  # noqa: S608 - constants
        " FROM pg_class LEFT JOIN LATERAL ("
        "   SELECT privilege_type AS kind FROM aclexplode(relacl)"
        "   WHERE grantee = (SELECT oid FROM pg_roles WHERE rolname = %s)"
        f" ) AS listed ON TRUE WHERE {HERE} GROUP BY relname ORDER BY relname",
        [role],
    )
    return {table: Rights(kinds or ()) for table, kinds in cursor.fetchall()}
