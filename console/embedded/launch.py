"""Starting children one after the other until each is ready, and ending them in reverse."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from console.embedded.errors import StartError, no_space
from console.embedded.processes import Child, end, spawn

READY_WITHIN_S = 10.0
GRACE_S = 5.0


@contextmanager
def launched(children: Sequence[Child], logs: Path) -> Iterator[None]:
    """Run the children for the length of the block."""
    with ExitStack() as stack:
        for child in children:
            process = start(child, logs)
            stack.callback(end, process, child.stop_signal, GRACE_S)
        yield


def start(child: Child, logs: Path) -> subprocess.Popen[bytes]:
    """Start a child and wait until it is ready.

    It is started again when it ends: what a killed predecessor held may take a moment to be free.
    """
    log = logs / f"{child.name}.log"
    deadline = time.monotonic() + READY_WITHIN_S
    process = spawn(child, log)
    try:
        while child.ready and not (process.poll() is None and child.ready()):
            if time.monotonic() >= deadline:
                raise failure(child, log)
            time.sleep(0.05)
            if process.poll() is not None:
                time.sleep(0.5)
                process = spawn(child, log)
    except BaseException:
        end(process, child.stop_signal, GRACE_S)
        raise
    return process


def failure(child: Child, log: Path) -> StartError:
    """Say in one line why a child did not get ready."""
    lines = log.read_text(errors="replace").strip().splitlines()[-20:]
    if any("No space left on device" in line for line in lines):
        return no_space(log)
    return StartError(f"{child.name} does not start: {lines[-1] if lines else 'no output'} ({log})")
