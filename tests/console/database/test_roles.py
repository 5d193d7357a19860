from __future__ import annotations

from dataclasses import replace

import psycopg
import pytest
from django.conf import settings
from django.core.management import CommandError
from django.db import connection

from console.database.grants import KNOWN
from console.database.rights import APPEND_ONLY, application_rights
from tests.console.commands import run_command
from tests.console.database.rows import table_of

pytestmark = pytest.mark.usefixtures("application")


MEMBER_OF_OTHERS = """CREATE ROLE others; GRANT UPDATE ON runtime_event TO others;
GRANT others TO countersign"""


def fetched(statement, *values):
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchall()


def test_every_table_has_its_rights_and_no_others(application):
    tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    asked = (
        f"SELECT tablename, kind FROM ({tables}) AS there, unnest(%s::text[]) AS kind"
        " WHERE has_table_privilege(tablename, kind)"
    )

    held = set(application.execute(asked, [KNOWN]))

    rights = application_rights()
    assert {table for (table,) in application.execute(tables)} == set(rights)
    assert held == {(table, kind) for table, kinds in rights.items() for kind in kinds}


def test_the_append_only_tables_are_those_whose_trigger_says_so():
    guarded = fetched(
        "SELECT tgrelid::regclass::text, tgenabled FROM pg_trigger WHERE tgname LIKE %s",
        "%_is_append_only",
    )

    assert sorted(guarded) == sorted((table_of(model), "A") for model in APPEND_ONLY)


def test_its_limits_hold_whatever_a_client_asks_for(application):
    for name, seconds in settings.LIMITS.items():
        shown = "SELECT extract(epoch FROM current_setting(%s)::interval)::int"
        assert application.execute(shown, [name]).fetchone() == (seconds,)


def test_what_is_as_it_should_be_is_left_alone():
    assert run_command("create_roles") == ["Everything was as it should be."]


def test_what_is_missing_or_too_much_is_set_right_and_said():
    with connection.cursor() as cursor:
        cursor.execute("GRANT DELETE, TRUNCATE ON runtime_event TO countersign")
        cursor.execute("REVOKE ALL ON runtime_timer FROM countersign")
        cursor.execute("CREATE TABLE left_by_somebody (id integer)")
        cursor.execute("GRANT ALL ON left_by_somebody TO countersign")
        name = connection.ops.quote_name(connection.settings_dict["NAME"])
        cursor.execute(f"ALTER ROLE countersign IN DATABASE {name} RESET lock_timeout")

    said = run_command("create_roles")

    assert said == [
        "set lock_timeout of countersign to 10 s",
        "left_by_somebody: nothing",
        "runtime_event: SELECT, INSERT",
        "runtime_timer: SELECT, INSERT, UPDATE, DELETE",
    ]
    assert run_command("create_roles") == ["Everything was as it should be."]


@pytest.mark.parametrize(
    ("opened", "named"),
    [
        ("GRANT DELETE ON runtime_event TO PUBLIC", "DELETE runtime_event"),
        (MEMBER_OF_OTHERS, "UPDATE runtime_event"),
        ("ALTER ROLE countersign SUPERUSER", "CREATE in the database"),
    ],
)
def test_rights_that_come_from_elsewhere_are_named_and_refused(opened, named):
    with connection.cursor() as cursor:
        cursor.execute(opened)

    with pytest.raises(CommandError, match=f"countersign may do more than it should: {named}"):
        run_command("create_roles")


def test_one_role_for_both_is_no_separation(settings):
    settings.SERVERS = replace(settings.SERVERS, owner_url=settings.SERVERS.database_url)

    with pytest.raises(CommandError, match="OWNER_DATABASE_URL"):
        run_command("create_roles")


def test_the_application_reads_and_writes_what_it_works_with(application):
    with pytest.raises(psycopg.errors.NotNullViolation):
        application.execute("INSERT INTO runtime_run DEFAULT VALUES")

    assert application.execute("SELECT count(*) FROM runtime_event").fetchone() == (0,)
