"""The files of a PostgreSQL: made once and whole, used only by their own version and user."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from console.embedded.data_dir import Layout
from console.embedded.errors import StartError, no_space
from console.embedded.identity import Account
from console.embedded.processes import change_of_user, ending_with_us

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


def make_cluster(
    where: Layout, home: Path, binaries: Path, account: Account, *, durable: bool
) -> Path:
    """Make the cluster, or find it again and refuse one that is not ours to use."""
    cluster = home / "postgres"
    if not cluster.is_dir():
        _initialise(where, cluster, binaries, account, durable=durable)
    _require_usable(where, cluster, binaries, account)
    return cluster


def _initialise(
    where: Layout, cluster: Path, binaries: Path, account: Account, *, durable: bool
) -> None:
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
            raise no_space(where.root)
        reason = (made.stdout.strip().splitlines() or ["no output"])[-1]
        raise StartError(f"initdb failed: {reason}")
    unfinished.rename(cluster)


def _require_usable(where: Layout, cluster: Path, binaries: Path, account: Account) -> None:
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
        preexec_fn=ending_with_us(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
