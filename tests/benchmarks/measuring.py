"""Clients that repeat one cycle in threads; what a cycle takes in time, CPU and statements."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from statistics import median, quantiles
from typing import Any, Protocol

from psycopg import _connection_base, _cursor_base

WARM_UP = 5


class Client(Protocol):
    def cycle(self) -> None:
        """Take one effect from its proposal to its settled answer."""

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    per_second: float
    p50_ms: float
    p99_ms: float
    statements: float
    cpu_ms: float


def measure(make_client: Callable[[], Client], *, clients: int, seconds: float) -> Measured:
    """Let so many clients repeat their cycle for so long, each after a few that do not count."""
    ready = threading.Barrier(clients + 1)
    over = threading.Event()

    def play() -> list[float]:
        client = make_client()
        try:
            for _ in range(WARM_UP):
                client.cycle()
            ready.wait()
            ready.wait()
            return list(_timed(client.cycle, over))
        except BaseException:
            ready.abort()
            raise
        finally:
            client.close()

    with ThreadPoolExecutor(clients) as threads, counted_statements() as statements:
        playing = [threads.submit(play) for _ in range(clients)]
        ready.wait()
        before, cpu, began = next(statements), time.process_time(), time.perf_counter()
        ready.wait()
        time.sleep(seconds)
        over.set()
        taken = [took for played in playing for took in played.result()]
        elapsed, cpu = time.perf_counter() - began, time.process_time() - cpu
        made = next(statements) - before - 1
    return Measured(
        per_second=len(taken) / elapsed,
        p50_ms=median(taken) * 1000,
        p99_ms=quantiles(taken, n=100)[98] * 1000,
        statements=made / len(taken),
        cpu_ms=cpu / len(taken) * 1000,
    )


def _timed(cycle: Callable[[], None], over: threading.Event) -> Iterator[float]:
    while not over.is_set():
        began = time.perf_counter()
        cycle()
        yield time.perf_counter() - began


def measure_steps(
    steps: Mapping[str, Callable[[], None]], *, rounds: int
) -> dict[str, tuple[float, float, float]]:
    """Milliseconds, CPU milliseconds and statements of each step, over rounds of them all."""
    sums = {name: [0.0, 0.0, 0.0] for name in steps}
    with counted_statements() as statements:
        for _ in range(rounds):
            for name, step in steps.items():
                before, cpu, began = next(statements), time.thread_time(), time.perf_counter()
                step()
                sums[name][0] += (time.perf_counter() - began) * 1000
                sums[name][1] += (time.thread_time() - cpu) * 1000
                sums[name][2] += next(statements) - before - 1
    return {
        name: (took / rounds, cpu / rounds, made / rounds)
        for name, (took, cpu, made) in sums.items()
    }


@contextmanager
def counted_statements() -> Iterator[count[int]]:
    """Count what psycopg sends in this process, BEGIN and COMMIT included, whoever sends it."""
    sent = count()
    patched = [
        (_connection_base.BaseConnection, "_exec_command"),
        (_cursor_base.BaseCursor, "_maybe_prepare_gen"),
    ]
    originals = [getattr(cls, name) for cls, name in patched]

    def counting(original: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **options: Any) -> Any:
            next(sent)
            return original(*args, **options)

        return counted

    for (cls, name), original in zip(patched, originals, strict=True):
        setattr(cls, name, counting(original))
    try:
        yield sent
    finally:
        for (cls, name), original in zip(patched, originals, strict=True):
            setattr(cls, name, original)
