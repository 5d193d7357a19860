"""Servers of a test run's own: the settings claim a folder, the run starts what is in it."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path

import pytest

from console.embedded.data_dir import layout, resolve
from console.embedded.errors import StartError
from console.embedded.home import make_data_dir
from console.embedded.locks import try_lock
from console.embedded.session import running

# Kept between runs, because making a cluster takes longer than starting one.
CACHE = Path(__file__).parent.parent / ".servers_cache"
stack = ExitStack()


def claim_folder() -> None:
    """Make DATA_DIR a folder no other run uses; called before the settings read it.

    A worker of a run uses the run's.
    """
    if is_worker():
        return
    for number in range(100):
        where = layout(CACHE / str(number))
        make_data_dir(where)
        if lock := try_lock(where.root / "test-run.lock"):
            stack.enter_context(lock)
            os.environ["DATA_DIR"] = str(where.root)
            return
    raise StartError(f"{CACHE} has no free folder.")


def start_servers(config: pytest.Config) -> None:
    if is_worker():
        return
    config.add_cleanup(stack.close)
    where = layout(os.environ["DATA_DIR"])
    try:
        stack.enter_context(running(where, resolve(where.root), durable=False))
    except StartError as error:
        raise pytest.UsageError(str(error)) from None


def is_worker() -> bool:
    return "PYTEST_XDIST_WORKER" in os.environ
