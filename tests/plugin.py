"""Gives a test run servers of its own before any settings load: `pytest -p tests.plugin`."""

from __future__ import annotations

import os
from collections.abc import Iterator
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


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Iterator[None]:
    # A wrapper runs before pytest-django's own hook, which loads the settings.
    stack = ExitStack()
    early_config.add_cleanup(stack.close)
    try:
        _start_servers(stack)
    except StartError as error:
        raise pytest.UsageError(str(error)) from None
    return (yield)


def _start_servers(stack: ExitStack) -> None:
    where = layout(_free_folder(stack))
    endpoints = resolve(where.root)
    stack.enter_context(running(where, endpoints, durable=False))
    os.environ["DATABASE_URL"] = endpoints.database_url
    os.environ["REDIS_URL"] = endpoints.redis_url


def _free_folder(stack: ExitStack) -> Path:
    """Answer a folder no other run uses, kept for this one."""
    for number in range(100):
        where = layout(CACHE / str(number))
        make_data_dir(where)
        if lock := try_lock(where.root / "test-run.lock"):
            stack.enter_context(lock)
            return where.root
    raise StartError(f"{CACHE} has no free folder.")
