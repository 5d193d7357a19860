from __future__ import annotations

import socket
import subprocess

import psycopg
import pytest

from console.embedded.data_dir import layout, postgres_url
from tests.embedded.conftest import new_data_dir
from tests.stack import ROOT, Stack, environment


@pytest.fixture
def demo():
    with new_data_dir() as where:
        yield Stack(where.root)


def refused(demo: Stack, *options: str, **more: str) -> str:
    """What it says instead of starting: one line."""
    ended = subprocess.run(
        demo.command(*options),
        cwd=ROOT,
        env=environment(**more),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    return ended.stderr


@pytest.mark.parametrize("option", ["--port", "--sandbox-port"])
def test_a_port_that_is_taken_is_named(demo, option):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        line = refused(demo, option, str(port))

    assert line == f"Port {port} is taken: choose another with {option}.\n"


def test_one_port_is_not_enough_for_two(demo):
    line = refused(demo, "--sandbox-port", str(demo.port))

    assert line == "--port and --sandbox-port name the same port: choose two.\n"


def test_the_sandbox_does_not_run_beside_a_live_key(demo):
    line = refused(demo, STRIPE_KEY="sk_live_0")

    assert line == (
        "The sandbox provider does not start: STRIPE_KEY holds a live provider key; "
        "the sandbox does not run beside one.\n"
    )


def test_a_file_is_no_data_dir(demo, tmp_path):
    (tmp_path / "file").touch()

    line = refused(demo, "--data", str(tmp_path / "file"))

    assert line.count("\n") == 1
    assert line.startswith(f"{tmp_path / 'file'} cannot be used: ")


def test_no_demo_people_are_made_in_a_database_with_tables_of_others(demo, settings):
    server = layout(settings.DATA_DIR)
    with psycopg.connect(postgres_url(server, "postgres"), autocommit=True) as connection:
        connection.execute("CREATE DATABASE somebody")
        with psycopg.connect(postgres_url(server, "somebody")) as theirs:
            theirs.execute("CREATE TABLE orders (id integer)")

        line = refused(demo, "--fresh", DATABASE_URL=postgres_url(server, "somebody"))

        with psycopg.connect(postgres_url(server, "somebody")) as theirs:
            tables = theirs.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
            assert tables.fetchall() == [("orders",)]
        connection.execute("DROP DATABASE somebody")
    assert line == (
        "The database has tables that the demo did not make, so it leaves it alone: "
        "use an empty one, or choose another --data.\n"
    )
    assert not (demo.data_dir / "demo.json").exists()
