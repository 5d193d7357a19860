"""The demo's processes: one owner per DATA_DIR, and however that ends, nothing of it runs on."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from types import FrameType

from console.demo.fresh import empty
from console.demo.ports import require_free
from console.demo.record import end_leftovers, record
from console.embedded.crew import Crew
from console.embedded.data_dir import Layout
from console.embedded.errors import StartError, plain_errors
from console.embedded.home import make_data_dir
from console.embedded.locks import held
from console.embedded.session import owned

WAIT_S = 15.0


class Stopped(Exception):  # noqa: N818 - a request, not an error
    """Someone asked the demo to end."""


@contextmanager
def supervised(
    where: Layout,
    ports: Mapping[str, int],
    *,
    say: Callable[[str], None],
    fresh: bool = False,
) -> Iterator[Crew]:
    """Own DATA_DIR and answer the crew to start children in; SIGINT and SIGTERM end the block.

    `ports` are those the children will listen on, by the option that chooses each; `say` takes a
    line when a child is started again. Call from the main thread.
    """
    refusal = StartError(f"A demo runs on {where.root} already: stop it, or choose another --data.")
    with plain_errors(where.root):
        make_data_dir(where)
    with held(where.demo_lock, wait=1, otherwise=refusal):
        had_predecessor = end_leftovers(where, wait=WAIT_S)
        require_free(ports, wait=WAIT_S if had_predecessor else 0)
        with owned(where), stop_signals() as sleep:
            with plain_errors(where.root):
                if fresh:
                    empty(where)
            crew = Crew(logs=where.logs, changed=partial(_record, where), say=say, sleep=sleep)
            try:
                yield crew
            finally:
                crew.end()


@contextmanager
def stop_signals() -> Iterator[Callable[[float], None]]:
    """Answer a sleep that raises Stopped once a signal came; Stopped then ends the block quietly.

    Our own handlers, because a shell starts background commands with SIGINT ignored.
    """
    asked: list[int] = []

    def ask(number: int, _frame: FrameType | None) -> None:
        asked.append(number)

    def sleep(seconds: float) -> None:
        if not asked:
            time.sleep(seconds)
        if asked:
            raise Stopped

    previous = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield sleep
    except Stopped:
        pass
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _record(where: Layout, pids: Mapping[str, int]) -> None:
    with plain_errors(where.root):
        record(where, pids)
