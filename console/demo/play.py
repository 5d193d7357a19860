"""The demo itself: everything started in order, until somebody asks it to end."""

from __future__ import annotations

import http.client
import socket
from collections.abc import Callable
from contextlib import suppress

from console.demo.cast import HOST, Cast
from console.demo.supervisor import supervised
from console.embedded.crew import POLL_S, Crew
from console.embedded.errors import StartError
from console.embedded.session import servers
from runtime.sandbox.settings import refusal

READY_WITHIN_S = 90.0


def play(
    cast: Cast,
    *,
    fresh: bool,
    with_tickets: bool,
    ready: Callable[[str], None],
    say: Callable[[str], None],
) -> None:
    """Run the demo, telling `ready` its address; return when it was asked to end."""
    if cast.port == cast.sandbox_port:
        raise StartError("--port and --sandbox-port name the same port: choose two.")
    ports = {"--port": cast.port, "--sandbox-port": cast.sandbox_port}
    with supervised(cast.where, ports, say=say, fresh=fresh) as crew:
        sandbox = cast.sandbox()
        if reason := refusal(sandbox.env):
            raise StartError(f"The sandbox provider does not start: {reason}.")
        crew.start(sandbox)
        for child in servers(cast.where, cast.endpoints):
            crew.start(child)
        crew.run(cast.preparation(fresh=fresh))
        for child in cast.services():
            crew.start(child)
        _wait_until_ready(crew, cast)
        if with_tickets:
            crew.start(cast.agent())
        ready(f"{cast.url}/")
        crew.tend_forever()


def _wait_until_ready(crew: Crew, cast: Cast) -> None:
    deadline = crew.clock() + READY_WITHIN_S
    while not (_listens(cast.sandbox_port) and _is_served(cast.port)):
        if crew.clock() >= deadline:
            raise StartError(
                f"The demo is not ready after {READY_WITHIN_S:g} s: see {cast.where.logs}."
            )
        crew.sleep(POLL_S)
        crew.tend()


def _listens(port: int) -> bool:
    with suppress(OSError), socket.create_connection((HOST, port), timeout=1):
        return True
    return False


def _is_served(port: int) -> bool:
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
