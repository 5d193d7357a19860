"""The few threads in which live sockets read the database and render."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from channels.db import database_sync_to_async

P = ParamSpec("P")
R = TypeVar("R")
# Rendering holds the interpreter anyway: more threads would only mean more connections.
_threads = ThreadPoolExecutor(2, "live")


async def in_thread(work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    call = database_sync_to_async(work, thread_sensitive=False, executor=_threads)
    result: R = await call(*args, **kwargs)
    return result
