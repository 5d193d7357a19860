"""Whether the ports of this machine that the demo wants are free."""

from __future__ import annotations

import socket
import time
from collections.abc import Mapping
from contextlib import suppress

from console.embedded.errors import StartError

HIGHEST_PORT = 65_535


def require_free(ports: Mapping[str, int], *, wait: float) -> None:
    """Wait until each port is free; the keys are the options that choose them."""
    deadline = time.monotonic() + wait
    for option, port in ports.items():
        if not 0 < port <= HIGHEST_PORT:
            raise StartError(f"There is no port {port}: choose another with {option}.")
        while not is_free(port):
            if time.monotonic() >= deadline:
                raise StartError(f"Port {port} is taken: choose another with {option}.")
            time.sleep(0.1)


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        # As servers do: connections that linger after their server's end do not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return True
    return False
