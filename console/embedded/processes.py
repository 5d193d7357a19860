"""Child processes that end with us: how one is described, started and ended."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from console.embedded.identity import Account

PR_SET_PDEATHSIG = 1
_libc: ctypes.CDLL | None = ctypes.CDLL(None) if sys.platform == "linux" else None


@dataclass(frozen=True, kw_only=True)
class Child:
    """One program to keep running; `ready` answers whether it does its work yet."""

    name: str
    argv: Sequence[str]
    env: Mapping[str, str]
    ready: Callable[[], bool] | None = None
    cwd: Path = Path("/")
    account: Account | None = None
    stop_signal: signal.Signals = signal.SIGTERM
    # What the kernel sends it when we are killed (Linux).
    death_signal: signal.Signals = signal.SIGKILL
    # The others need it: it ends after them.
    is_foundation: bool = False


class ChangeOfUser(TypedDict, total=False):
    """The arguments of Popen that make a child another user's."""

    user: int
    group: int
    extra_groups: list[int]


def change_of_user(account: Account | None) -> ChangeOfUser:
    if account is None or account.uid == os.geteuid():
        return {}
    return {"user": account.uid, "group": account.gid, "extra_groups": []}


def spawn(child: Child, log: Path) -> subprocess.Popen[bytes]:
    """Start the child in its own session, its output appended to the log."""
    with log.open("ab") as output:
        return subprocess.Popen(  # noqa: S603 - argv comes from our own code
            child.argv,
            env=child.env,
            cwd=child.cwd,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            umask=0o077,
            **change_of_user(child.account),
            preexec_fn=ending_with_us(child.death_signal),  # noqa: PLW1509 - see there
        )


def ending_with_us(death_signal: signal.Signals = signal.SIGKILL) -> Callable[[], None]:
    """Answer what a new process runs first so that the kernel ends it when we are gone.

    Popen runs it after the change of user, which would have cleared the signal. Only for the main
    thread of a program without others: the kernel counts the thread that forked as the parent.
    """
    parent = os.getpid()

    def ask_the_kernel() -> None:
        if _libc is None:
            return
        _libc.prctl(PR_SET_PDEATHSIG, int(death_signal), 0, 0, 0)
        if os.getppid() != parent:  # gone before the line above
            os._exit(1)

    return ask_the_kernel


def end(running: Iterable[tuple[Child, subprocess.Popen[bytes]]], grace: float) -> None:
    """Ask the children to stop together; after the grace kill whatever is left of their groups."""
    asked = list(running)
    deadline = time.monotonic() + grace
    for child, process in asked:
        process.send_signal(child.stop_signal)
    for _, process in asked:
        with suppress(subprocess.TimeoutExpired):
            process.wait(max(0.0, deadline - time.monotonic()))
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
