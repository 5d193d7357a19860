"""PostgreSQL's lock files, when the process they name is no PostgreSQL any more."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from console.embedded.processes import command_line


def disown_stale_lock(cluster: Path, sockets: Path) -> None:
    """Let a server start although its lock names a zombie, or a pid that was given out again.

    PostgreSQL takes any live process of its own user for a server. It takes its parent's pid for
    stale, though, and then still looks for shared memory in use: so name us, don't delete the file.
    """
    lock = cluster / "postmaster.pid"
    with suppress(FileNotFoundError):
        pid, _, rest = lock.read_text().partition("\n")
        if not pid.isdigit():
            lock.unlink()  # a full disk left it empty
        elif str(cluster) in command_line(int(pid)):
            return
        else:
            lock.write_text(f"{os.getpid()}\n{rest}")
    (sockets / ".s.PGSQL.5432.lock").unlink(missing_ok=True)
