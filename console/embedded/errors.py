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
    """Turn what the file system refuses into the line that says so."""
    try:
        yield
    except PermissionError as error:
        raise StartError(
            f"{data_dir} is not writable ({error.filename}): choose another --data."
        ) from None
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise no_space(data_dir) from None
        if error.errno in (errno.EROFS, errno.ENOTDIR, errno.EEXIST):
            raise StartError(
                f"{data_dir} cannot be used: {error}. Choose another --data."
            ) from None
        raise


def no_space(data_dir: Path) -> StartError:
    return StartError(f"No space left on the device that holds {data_dir}.")
