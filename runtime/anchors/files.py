"""The append-only file that anchors are kept in: relays of one machine take turns at it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import structlog

from runtime.anchors.lines import Chain, Line

logger = structlog.get_logger(__name__)
# Nothing in it is secret, and whoever verifies has to read it.
MODE: Final = 0o644


def lines_of(path: Path) -> Iterator[tuple[int, Line | None]]:
    """Each line with its number in the file, from 1; None where there is no anchor in it."""
    with path.open("rb") as file:
        for number, text in enumerate(file, start=1):
            yield number, Line.parsed(text)


@dataclass(slots=True, kw_only=True)
class AnchorFile:
    """A file as one relay knows it: whatever others added is read before anything is added."""

    path: Path
    chain: Chain = field(default_factory=Chain)
    read: int = 0
    inode: tuple[int, int] | None = None

    @contextmanager
    def held(self) -> Iterator[int | None]:
        """Hold the file and know all of it; None while another relay holds it.

        Raises OSError where the file cannot be written.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT, MODE)
        try:
            if _is_ours(handle):
                self._catch_up(handle)
                yield handle
            else:
                yield None
        finally:
            os.close(handle)

    def append(self, handle: int, line: Line) -> None:
        """Add a whole line, and have it on the disk before anything else is done."""
        text = f"{line.model_dump_json()}\n".encode()
        _write(handle, text)
        self.read += len(text)
        self.chain.follow(line)

    def forget(self) -> None:
        """Know nothing of it: what came of a failed write is read again from its beginning."""
        self.chain, self.read, self.inode = Chain(), 0, None

    def _catch_up(self, handle: int) -> None:
        found = os.fstat(handle)
        if (found.st_dev, found.st_ino) != self.inode or found.st_size < self.read:
            self.forget()
            self.inode = (found.st_dev, found.st_ino)
        with os.fdopen(os.dup(handle), "rb") as file:
            file.seek(self.read)
            for text in file:
                self._take(handle, text)

    def _take(self, handle: int, text: bytes) -> None:
        self.read += len(text)
        if not text.endswith(b"\n"):
            # Nothing is ever cut off, so that the file may be one the system lets only grow.
            logger.warning("an anchor was torn by a crash", file=str(self.path), at=self.read)
            _write(handle, b"\n")
            self.read += 1
        if line := Line.parsed(text):
            self.chain.follow(line)


def _is_ours(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _write(handle: int, text: bytes) -> None:
    while text:
        text = text[os.write(handle, text) :]
    os.fsync(handle)
