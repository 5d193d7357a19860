"""The folder of the servers' files: DATA_DIR/servers, or a link to where their user can go."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from console.embedded.data_dir import Layout
from console.embedded.errors import StartError
from console.embedded.identity import Account

# Only root needs it: as anyone else the servers run as the user that owns DATA_DIR.
ELSEWHERE = Path("/var/lib/countersign")
ORIGIN = "data-dir"


def make_home(where: Layout, account: Account) -> Path:
    """Make, or find again, the folder the servers' files lie in."""
    make_data_dir(where)
    if where.servers.is_dir():
        return where.servers.resolve()
    if account.uid == os.geteuid() or account.enters(where.root):
        where.servers.mkdir(mode=0o711)
        return where.servers
    return _make_elsewhere(where)


def make_data_dir(where: Layout) -> None:
    # Root's servers pass through it to files of their own; the mode of a folder that exists stays.
    if not where.root.is_dir():
        where.root.mkdir(parents=True, exist_ok=True)
        where.root.chmod(0o711 if os.geteuid() == 0 else 0o700)
    # The settings may have made their keys there before.
    if {entry.name for entry in where.root.iterdir()} <= {"keys"}:
        where.mark.touch()
    where.logs.mkdir(mode=0o700, exist_ok=True)


def remove_home(where: Layout) -> None:
    """Remove the servers' files, wherever they are."""
    if where.servers.is_symlink():
        shutil.rmtree(where.servers.resolve(), ignore_errors=True)
        where.servers.unlink()
    elif where.servers.exists():
        shutil.rmtree(where.servers)


def _make_elsewhere(where: Layout) -> Path:
    where.servers.unlink(missing_ok=True)
    try:
        ELSEWHERE.mkdir(mode=0o755, exist_ok=True)
        _remove_abandoned(where)
        home = Path(tempfile.mkdtemp(dir=ELSEWHERE))
    except OSError as error:
        raise StartError(
            f"{where.root} lies below a folder the servers' user cannot enter, and {ELSEWHERE} "
            f"cannot take its place ({error.strerror}): choose another --data."
        ) from None
    home.chmod(0o711)
    (home / ORIGIN).symlink_to(where.servers)
    where.servers.symlink_to(home)
    return home


def _remove_abandoned(where: Layout) -> None:
    """Remove what an earlier DATA_DIR of this path, removed by hand, left behind."""
    for home in ELSEWHERE.iterdir():
        origin = home / ORIGIN
        if origin.is_symlink() and origin.readlink() == where.servers:
            shutil.rmtree(home)


def make_sockets(where: Layout, account: Account) -> Path:
    """Make the folder of the sockets; in a folder everyone may write to, trust only our own."""
    folder = where.sockets
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    if not is_private(folder):
        raise StartError(f"{folder} was made by someone else: remove it or choose another --data.")
    if account.uid != os.geteuid():
        # Root keeps the folder, so that only root could have made it; the servers' group uses it.
        os.chown(folder, 0, account.gid)
        folder.chmod(0o770)
    return folder


def remove_sockets(where: Layout) -> None:
    if is_private(where.sockets):
        shutil.rmtree(where.sockets, ignore_errors=True)


def is_private(folder: Path) -> bool:
    """Is this a real folder that we made and that other users cannot enter?"""
    try:
        status = folder.lstat()
    except FileNotFoundError:
        return False
    return (
        stat.S_ISDIR(status.st_mode)
        and status.st_uid == os.geteuid()
        and not status.st_mode & stat.S_IRWXO
    )
