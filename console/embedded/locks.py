"""File locks that the kernel releases when their holder dies."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO


def try_lock(path: Path, *, shared: bool = False) -> TextIO | None:
    """Take the lock and answer its open file, or None while someone else holds it."""
    file = path.open("a+")
    try:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return None
    return file


@contextmanager
def held(path: Path, *, wait: float, otherwise: Exception) -> Iterator[None]:
    """Hold the lock for the length of the block; raise `otherwise` if it is not ours in time."""
    deadline = time.monotonic() + wait
    while (file := try_lock(path)) is None:
        if time.monotonic() >= deadline:
            raise otherwise
        time.sleep(0.1)
    with file:
        yield
