"""The servers of DATA_DIR for the length of one command: those that run already, or our own."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from console.embedded.data_dir import Endpoints, Layout
from console.embedded.errors import StartError, plain_errors
from console.embedded.home import make_data_dir
from console.embedded.launch import launched
from console.embedded.locks import try_lock
from console.embedded.postgres import ensure_database, postgres
from console.embedded.processes import Child
from console.embedded.valkey import answers, valkey

WAIT_S = 15.0


def servers(where: Layout, endpoints: Endpoints, *, durable: bool = True) -> list[Child]:
    """Prepare the servers that no variable replaces, in the order to start them."""
    children = []
    if endpoints.runs_postgres:
        children.append(postgres(where, durable=durable))
    if endpoints.runs_valkey:
        children.append(valkey(where))
    return children


@contextmanager
def running(where: Layout, endpoints: Endpoints, *, durable: bool = True) -> Iterator[None]:
    """Use the servers that run, or start them and stop them at the end; main thread only."""
    if not (endpoints.runs_postgres or endpoints.runs_valkey):
        yield
        return
    with ExitStack() as stack:
        with plain_errors(where.root):
            make_data_dir(where)
            if children := _borrow_or_own(where, endpoints, stack, durable=durable):
                users = stack.enter_context(where.users_lock.open("a+"))
                stack.enter_context(launched(children, where.logs))
                # Comes first at the end: others may still work with what we started.
                stack.callback(fcntl.flock, users, fcntl.LOCK_EX)
        yield


def _borrow_or_own(
    where: Layout, endpoints: Endpoints, stack: ExitStack, *, durable: bool
) -> Sequence[Child]:
    """Answer the servers to start, holding their lock, or none when others keep them running."""
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        # Borrowers say so before they look: an owner does not stop under them.
        if using := try_lock(where.users_lock, shared=True):
            if _all_answer(where, endpoints):
                stack.enter_context(using)
                return []
            using.close()
        if owning := try_lock(where.servers_lock):
            stack.enter_context(owning)
            return servers(where, endpoints, durable=durable)
        time.sleep(0.1)
    raise StartError(f"The servers of {where.root} belong to another command and do not answer.")


def _all_answer(where: Layout, endpoints: Endpoints) -> bool:
    return (not endpoints.runs_postgres or ensure_database(where)) and (
        not endpoints.runs_valkey or answers(where)
    )
