"""What a PostgreSQL without an owner leaves behind: itself, or a lock that names another."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

from console.embedded.process_table import command_line


def release_cluster(cluster: Path, sockets: Path) -> None:
    """Let a server start; the caller holds the servers' lock, so no other may run.

    PostgreSQL takes any live process of its own user that the lock names for a server, a zombie or
    a pid given out again too. It takes its parent's pid for stale, and then still looks for shared
    memory in use: so the lock is made to name us, where deleting it would skip that look.
    """
    lock = cluster / "postmaster.pid"
    with suppress(FileNotFoundError):
        pid, _, rest = lock.read_text().partition("\n")
        if not pid.isdigit():
            lock.unlink()  # a full disk left it empty
        elif str(cluster) in (command_line(int(pid)) or ""):
            with suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGQUIT)
        else:
            lock.write_text(f"{os.getpid()}\n{rest}")
            (sockets / ".s.PGSQL.5432.lock").unlink(missing_ok=True)
