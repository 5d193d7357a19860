"""The servers of DATA_DIR for the length of one command: those that run already, or our own."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from console.embedded.crew import Crew
from console.embedded.data_dir import Endpoints, Layout
from console.embedded.errors import StartError, plain_errors
from console.embedded.home import make_data_dir, remove_sockets
from console.embedded.locks import held, try_lock
from console.embedded.postgres import ensure_database, postgres
from console.embedded.processes import Child
from console.embedded.valkey import answers, valkey

WAIT_S = 15.0


@contextmanager
def running(where: Layout, endpoints: Endpoints, *, durable: bool = True) -> Iterator[None]:
    """Use the servers that run, or start them and stop them at the end; main thread only."""
    with ExitStack() as stack:
        if endpoints.runs_postgres or endpoints.runs_valkey:
            _borrow_or_own(where, endpoints, stack, durable=durable)
        yield


@contextmanager
def owned(where: Layout) -> Iterator[None]:
    """Hold the right to run the servers of DATA_DIR."""
    refusal = StartError(f"Another command runs the servers of {where.root}: wait for it to end.")
    with plain_errors(where.root):
        make_data_dir(where)
    with held(where.servers_lock, wait=WAIT_S, otherwise=refusal):
        try:
            yield
        finally:
            remove_sockets(where)


def servers(where: Layout, endpoints: Endpoints, *, durable: bool = True) -> list[Child]:
    """Prepare the servers that no variable replaces, in the order to start them."""
    children = []
    with plain_errors(where.root):
        if endpoints.runs_postgres:
            children.append(postgres(where, durable=durable))
        if endpoints.runs_valkey:
            children.append(valkey(where))
    return children


def _borrow_or_own(where: Layout, endpoints: Endpoints, stack: ExitStack, *, durable: bool) -> None:
    with plain_errors(where.root):
        make_data_dir(where)
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        # Borrowers say so before they look: an owner does not stop under them.
        if using := try_lock(where.users_lock, shared=True):
            if _all_answer(where, endpoints):
                stack.enter_context(using)
                return
            using.close()
        if owning := try_lock(where.servers_lock):
            stack.enter_context(owning)
            _run_servers(where, endpoints, stack, durable=durable)
            return
        time.sleep(0.1)
    raise StartError(f"Another command runs the servers of {where.root}, and they do not answer.")


def _all_answer(where: Layout, endpoints: Endpoints) -> bool:
    return (not endpoints.runs_postgres or ensure_database(where)) and (
        not endpoints.runs_valkey or answers(where)
    )


def _run_servers(where: Layout, endpoints: Endpoints, stack: ExitStack, *, durable: bool) -> None:
    stack.callback(remove_sockets, where)
    users = stack.enter_context(where.users_lock.open("a+"))
    crew = Crew(logs=where.logs)
    stack.callback(crew.end)
    with plain_errors(where.root):
        for child in servers(where, endpoints, durable=durable):
            crew.start(child)
    # Comes first at the end: others may still work with what we started.
    stack.callback(fcntl.flock, users, fcntl.LOCK_EX)
