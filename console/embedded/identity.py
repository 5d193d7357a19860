"""Which user the servers run as, and what that user can reach."""

from __future__ import annotations

import os
import pwd
import stat
from dataclasses import dataclass
from pathlib import Path

from console.embedded.errors import StartError

UNPRIVILEGED = "nobody"


@dataclass(frozen=True, kw_only=True)
class Account:
    """A user and its group."""

    uid: int
    gid: int

    def enters(self, folder: Path) -> bool:
        """Can this account pass through the folder and everything above it?"""
        real = folder.resolve()
        return all(self._enters(step.stat()) for step in (real, *real.parents))

    def _enters(self, status: os.stat_result) -> bool:
        if status.st_uid == self.uid:
            return bool(status.st_mode & stat.S_IXUSR)
        if status.st_gid == self.gid:
            return bool(status.st_mode & stat.S_IXGRP)
        return bool(status.st_mode & stat.S_IXOTH)


def server_account() -> Account:
    """Answer ourselves, or as root the unprivileged user: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return Account(uid=os.geteuid(), gid=os.getegid())
    try:
        entry = pwd.getpwnam(UNPRIVILEGED)
    except KeyError:
        raise StartError(
            f"PostgreSQL does not run as root, and there is no user {UNPRIVILEGED}: "
            "run this as an ordinary user."
        ) from None
    return Account(uid=entry.pw_uid, gid=entry.pw_gid)
