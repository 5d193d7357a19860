"""The stack's processes, killed or held up, and the moment when all is well again."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from signal import SIGCONT, SIGSTOP

import httpx
import pytest

from tests.scenarios.refunds import wait_until
from tests.stack import Stack

WORKERS = ("worker-1", "worker-2")
KINDS = {
    "web": ("web",),
    "worker": ("worker-1",),
    "workers": WORKERS,
    "relay": ("relay",),
    "valkey": ("valkey",),
    "postgres": ("postgres",),
}


def need(stack: Stack, *names: str) -> None:
    """Skip where a server is somebody else's: it is not ours to kill."""
    if foreign := set(names) - stack.processes().keys():
        pytest.skip(f"not ours: {foreign}")


def kill(stack: Stack, *names: str) -> dict[str, int]:
    """Kill them and answer the pids they had."""
    return {name: stack.kill_process(name) for name in names}


def wait_for_restart(stack: Stack, killed: dict[str, int]) -> None:
    """Wait until other processes have the names of the killed ones, and the stack is ready."""
    wait_until(lambda: all(stack.processes().get(name, pid) != pid for name, pid in killed.items()))
    wait_until(lambda: readiness(stack) == 200, within=60)


def readiness(stack: Stack) -> int:
    """The status of /readyz; 0 if nobody answers."""
    try:
        return httpx.get(f"{stack.url}/readyz", trust_env=False).status_code
    except httpx.TransportError:
        return 0


@contextmanager
def held_up(stack: Stack, *names: str) -> Iterator[None]:
    """Let them stand still, as a process does whose machine swaps or whose disk hangs."""
    pids = [stack.kill_process(name, SIGSTOP) for name in names]
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, SIGCONT)


@contextmanager
def held_down(stack: Stack, *names: str) -> Iterator[None]:
    """Kill them while nobody starts them again."""
    stack.process.send_signal(SIGSTOP)
    try:
        killed = kill(stack, *names)
        yield
    finally:
        stack.process.send_signal(SIGCONT)
    wait_for_restart(stack, killed)
