"""Emptying DATA_DIR for a demo that starts over."""

from __future__ import annotations

import shutil

from console.embedded.data_dir import Layout
from console.embedded.errors import StartError
from console.embedded.home import make_data_dir, remove_home


def empty(where: Layout) -> None:
    """Remove everything but the locks, which are held; the caller runs nothing in DATA_DIR yet."""
    if not where.mark.exists():
        raise StartError(
            f"{where.root} holds files the demo did not make: empty it or choose another --data."
        )
    remove_home(where)
    for entry in where.root.iterdir():
        if entry.suffix == ".lock" or entry == where.mark:
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()
    make_data_dir(where)
