"""The one-line errors a person reads when something cannot be started."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class StartError(Exception):
    """Something cannot start; the text is one line that says what, and what to do about it."""


@contextmanager
def plain_errors(data_dir: Path) -> Iterator[None]:
    """Turn what the system refuses into the line that says so."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise no_space(data_dir) from error
        if error.errno in (errno.EACCES, errno.EROFS) and error.filename:
            raise StartError(
                f"{data_dir} is not writable: choose another with --data or DATA_DIR."
            ) from error
        raise StartError(f"{data_dir} cannot be used: {error}.") from error


def no_space(data_dir: Path) -> StartError:
    return StartError(f"No space left on the device that holds {data_dir}.")
