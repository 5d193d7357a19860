"""Run functions at the same moment in threads of their own, each with its own connection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

from django.db import connection

T = TypeVar("T")


def race(runners: Sequence[Callable[[], T]]) -> list[T]:
    """Answer what each function returned, in the order given; what one raises is raised."""
    start = Barrier(len(runners))

    def run(runner: Callable[[], T]) -> T:
        try:
            connection.ensure_connection()
            start.wait(30)
            return runner()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(runners)) as pool:
        return list(pool.map(run, runners))
