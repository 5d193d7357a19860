"""Databases of others and of its own: what the demo does to each before it serves."""

from __future__ import annotations

import json
import stat
import subprocess
import sys

import psycopg
import pytest
from django.conf import settings

from console.embedded.data_dir import layout, postgres_url
from tests.stack import ROOT, environment


@pytest.fixture(scope="module")
def database():
    """The URL of a database that was empty, on the server of this test run."""
    server = layout(settings.DATA_DIR)
    with psycopg.connect(postgres_url(server, "postgres"), autocommit=True) as connection:
        connection.execute("CREATE DATABASE given")
        yield postgres_url(server, "given")
        connection.execute("DROP DATABASE given")


@pytest.fixture(scope="module")
def data_dir(database, tmp_path_factory):
    """The DATA_DIR of the demo whose database it became."""
    data_dir = tmp_path_factory.mktemp("data")
    done = prepare(data_dir, database)
    assert (done.returncode, done.stderr) == (0, "")
    return data_dir


def prepare(data_dir, database, *options):
    return subprocess.run(
        [
            *(sys.executable, "manage.py", "prepare_demo", *options),
            *("--url", "http://127.0.0.1:8000", "--sandbox-url", "http://127.0.0.1:8001"),
        ],
        cwd=ROOT,
        env=environment(DATA_DIR=str(data_dir), DATABASE_URL=database, REDIS_URL="redis://none"),
        capture_output=True,
        text=True,
        check=False,
    )


def tokens(data_dir):
    return json.loads((data_dir / "demo.json").read_text())["tokens"]


def query(database, statement):
    with psycopg.connect(database) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


WHO = "SELECT username FROM runtime_person ORDER BY username"
EVERYBODY = ["admin", "admin2", "agent", "reviewer", "reviewer2", "senior", "support"]


def test_an_empty_database_becomes_the_demos_own_and_stays_it(database, data_dir):
    made = tokens(data_dir)

    again = prepare(data_dir, database)

    assert (again.returncode, again.stderr) == (0, "")
    assert tokens(data_dir) == made
    assert [name for (name,) in query(database, WHO)] == EVERYBODY
    assert stat.S_IMODE((data_dir / "demo.json").stat().st_mode) == 0o600


def test_another_folder_takes_it_over_only_when_told_to(database, data_dir, tmp_path):
    query(database, "UPDATE runtime_workspace SET name = 'Ours'")

    refused = prepare(tmp_path, database)
    kept = query(database, "SELECT name FROM runtime_workspace")
    started_over = prepare(tmp_path, database, "--fresh")

    assert (refused.returncode, kept) == (2, [("Ours",)])
    assert refused.stderr == (
        "Another DATA_DIR's demo made this database, and its keys are there: "
        "choose it with --data, or start over with --fresh.\n"
    )
    assert (started_over.returncode, started_over.stderr) == (0, "")
    assert query(database, "SELECT name FROM runtime_workspace") == [("Countersign demo",)]


def test_a_database_that_does_not_answer_is_named_without_its_password(tmp_path):
    refused = prepare(tmp_path, "postgres://somebody:hidden@127.0.0.1:1/orders")

    assert refused.returncode == 2
    assert refused.stderr == (
        "The database cannot be used: connection failed: connection to server at "
        '"127.0.0.1", port 1 failed: Connection refused\n'
    )
