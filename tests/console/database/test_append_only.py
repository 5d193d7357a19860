"""L1: what is on record stays as it is, whoever is connected."""

from __future__ import annotations

from contextlib import contextmanager

import psycopg
import pytest
from django.db import DatabaseError, connection, transaction

from console.database.rights import APPEND_ONLY
from runtime.models import Event, Notice, Outbox
from tests.console.database.rows import insert_row, rows_of, table_of
from tests.runtime.logs import started_run

CHANGES = ["UPDATE {table} SET {column} = {column}", "DELETE FROM {table}"]
# But for one column of theirs, as long as it is null.
GIVEN_ONCE = [Notice, Outbox]
every_table = pytest.mark.parametrize("model", APPEND_ONLY, ids=lambda model: model.__name__)


def sql(statement, model):
    column = model._meta.pk.column  # noqa: SLF001
    return statement.format(table=table_of(model), column=column)


def execute(statement):
    with connection.cursor() as cursor:
        cursor.execute(statement)


@contextmanager
def superuser(model):
    yield


@contextmanager
def superuser_as_a_replica(model):
    """No ordinary trigger fires for one."""
    execute("SET LOCAL session_replication_role = replica")
    yield


@contextmanager
def owner(model):
    """Who owns the table and is nothing besides."""
    execute("CREATE ROLE only_an_owner; GRANT CREATE ON SCHEMA public TO only_an_owner")
    execute("SET CONSTRAINTS ALL IMMEDIATE")
    execute(sql("ALTER TABLE {table} OWNER TO only_an_owner", model))
    execute("SET LOCAL ROLE only_an_owner")
    yield


@pytest.mark.parametrize("model", [*APPEND_ONLY, *GIVEN_ONCE], ids=lambda model: model.__name__)
@pytest.mark.parametrize("change", CHANGES, ids=["update", "delete"])
@pytest.mark.parametrize("who", [owner, superuser, superuser_as_a_replica])
@pytest.mark.django_db
def test_whoever_rules_the_database_changes_no_row_of_history(model, change, who):
    insert_row(model)
    before = rows_of(model)

    with pytest.raises(DatabaseError, match="is append-only"), transaction.atomic(), who(model):
        execute(sql(change, model))

    assert rows_of(model) == before
    assert len(before) == 1


@every_table
@pytest.mark.parametrize("change", [*CHANGES, "TRUNCATE {table} CASCADE"])
def test_the_application_has_no_right_to_change_history(application, model, change):
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="denied for table"):
        application.execute(sql(change, model))


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("change", [*CHANGES, "TRUNCATE {table} CASCADE"])
def test_the_application_changes_no_event_that_is_there(application, change):
    started_run()
    before = rows_of(Event)

    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        application.execute(sql(change, Event))

    assert rows_of(Event) == before
    assert len(before) == 1


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE runtime_event DISABLE TRIGGER runtime_event_is_append_only",
        "DROP TRIGGER runtime_event_is_append_only ON runtime_event",
        "DROP TABLE runtime_event CASCADE",
        "ALTER TABLE runtime_toolcall DISABLE TRIGGER runtime_toolcall_execution_status_moves",
        "DROP FUNCTION runtime_event_is_append_only() CASCADE",
        "ALTER FUNCTION runtime_event_is_append_only() SET search_path = ''",
        """CREATE OR REPLACE FUNCTION runtime_event_is_append_only() RETURNS trigger
           LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'""",
        "CREATE TABLE mine (id integer)",
        "CREATE TEMPORARY TABLE runtime_event (id integer)",
        "CREATE SCHEMA mine",
        "SET session_replication_role = replica",
        "SET ROLE postgres",
    ],
)
def test_the_application_cannot_take_a_guard_away(application, statement):
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        application.execute(statement)
