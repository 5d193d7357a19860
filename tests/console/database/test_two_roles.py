"""A server of somebody's own: its owner migrates, and the application works as itself."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from django.conf import settings

from console.embedded.data_dir import layout, postgres_url
from tests.stack import ROOT, environment

PASSWORD = "hidden-word"
NO_ROLE = (
    "There is no role shop_app, and this one may make none: have an administrator run "
    'CREATE ROLE "shop_app" LOGIN with the password of DATABASE_URL.'
)
NOT_THE_OWNER = (
    "Only the owner of the tables can write rows past their guards: "
    "set OWNER_DATABASE_URL, or --check what differs."
)


def url(database, role="postgres"):
    return postgres_url(layout(settings.DATA_DIR), database, role=role)


@contextmanager
def connected(database, role="postgres") -> Iterator[psycopg.Connection]:
    with psycopg.connect(url(database, role), autocommit=True) as connection:
        yield connection


@pytest.fixture
def shop():
    """A database whose owner is no superuser and may make roles."""
    with connected("postgres") as server:
        # A run that was killed leaves them to the next one.
        close_down(server)
        server.execute("CREATE ROLE shop_owner LOGIN CREATEROLE")
        server.execute("CREATE DATABASE shop OWNER shop_owner")
        yield "shop"
        close_down(server)


def close_down(server):
    server.execute("DROP DATABASE IF EXISTS shop WITH (FORCE)")
    server.execute("DROP ROLE IF EXISTS shop_app, shop_owner")


def manage(tmp_path, *command, app="shop_app", owner="shop_owner"):
    urls = {"DATABASE_URL": url("shop", f"{app}:{PASSWORD}" if app else owner)}
    if owner and app:
        urls["OWNER_DATABASE_URL"] = url("shop", owner)
    ended = subprocess.run(
        [sys.executable, "manage.py", *command],
        cwd=ROOT,
        env=environment(DATA_DIR=str(tmp_path), REDIS_URL="redis://none", **urls),
        capture_output=True,
        text=True,
        check=False,
    )
    assert PASSWORD not in ended.stdout + ended.stderr
    return ended.returncode, ended.stdout.splitlines(), ended.stderr


def test_migrating_makes_the_application_a_role_that_works_and_changes_no_tables(shop, tmp_path):
    migrated = manage(tmp_path, "migrate", "-v0")
    again = manage(tmp_path, "create_roles")
    workspace = manage(tmp_path, "create_workspace", "--slug=acme", "--name=Acme")

    assert (migrated, again) == ((0, [], ""), (0, ["Everything was as it should be."], ""))
    assert workspace[0] == 0
    with connected(shop, "shop_app") as own, connected(shop) as server:
        assert own.execute("SELECT slug FROM runtime_workspace").fetchall() == [("acme",)]
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="must be owner"):
            own.execute("ALTER TABLE runtime_event DISABLE TRIGGER ALL")
        kept = server.execute("SELECT rolpassword FROM pg_authid WHERE rolname = 'shop_app'")
        assert str(kept.fetchone()).startswith("('SCRAM-SHA-256$")


def test_a_database_made_by_one_role_is_given_the_other_and_keeps_what_it_has(shop, tmp_path):
    manage(tmp_path, "migrate", "-v0", app=None)
    manage(tmp_path, "create_workspace", "--slug=acme", "--name=Acme", app=None)

    status, said, _ = manage(tmp_path, "create_roles")

    assert (status, said[0]) == (0, "made the role shop_app")
    assert "runtime_event: SELECT, INSERT" in said
    with connected(shop, "shop_app") as own:
        assert own.execute("SELECT slug FROM runtime_workspace").fetchall() == [("acme",)]


def test_an_owner_who_may_make_no_roles_says_what_an_administrator_has_to(shop, tmp_path):
    with connected("postgres") as server:
        server.execute("ALTER ROLE shop_owner NOCREATEROLE")
        refused = manage(tmp_path, "create_roles")
        server.execute("CREATE ROLE shop_app LOGIN")
        without_limits = manage(tmp_path, "create_roles")
        for limit, seconds in settings.LIMITS.items():
            server.execute(f"ALTER ROLE shop_app SET {limit} = '{seconds}s'")

    assert refused == (1, [], f"CommandError: {NO_ROLE}\n")
    assert without_limits[0] == 1
    assert "ALTER ROLE \"shop_app\" SET lock_timeout = '10s'" in without_limits[2]
    assert manage(tmp_path, "migrate", "-v0") == (0, [], "")


def test_rows_are_rebuilt_by_the_owner_and_checked_by_anybody(shop, tmp_path):
    manage(tmp_path, "migrate", "-v0")

    rebuilt = manage(tmp_path, "rebuild_projections")
    by_the_application = manage(tmp_path, "rebuild_projections", owner=None)
    checked = manage(tmp_path, "rebuild_projections", "--check", owner=None)

    assert (rebuilt, checked) == ((0, [], ""), (0, [], ""))
    assert by_the_application == (1, [], f"CommandError: {NOT_THE_OWNER}\n")


def test_an_owner_without_a_database_starts_nothing(tmp_path):
    ended = subprocess.run(
        [sys.executable, "manage.py", "migrate"],
        cwd=ROOT,
        env=environment(DATA_DIR=str(tmp_path), OWNER_DATABASE_URL="postgres://a@b/c"),
        capture_output=True,
        text=True,
        check=False,
    )

    assert (ended.returncode, ended.stderr) == (
        2,
        "OWNER_DATABASE_URL is set and DATABASE_URL is not: name both, or neither.\n",
    )
