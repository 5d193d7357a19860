"""The network between a browser and the console: it can be cut, or lose an answer."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

CHUNK = 65_536


class Wire:
    """Forwards connections to a port of this machine; `url` is where a browser goes instead."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.is_cut = False
        self.loses_answer_to = b""
        self.lost = threading.Event()
        self.ends: set[socket.socket] = set()
        self.door = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.door.getsockname()[1]}"
        threading.Thread(target=self._welcome, daemon=True).start()

    def cut(self) -> None:
        """Break every connection, and let none through until `mend`."""
        self.is_cut = True
        for end in list(self.ends):
            _close(end)

    def mend(self) -> None:
        self.is_cut = False

    def lose_answer_to(self, start: bytes) -> None:
        """Break the next request that begins so as soon as its answer comes."""
        self.loses_answer_to = start

    def close(self) -> None:
        self.cut()
        _close(self.door)
        self.door.close()

    def _welcome(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self.door.accept()
                threading.Thread(target=self._join, args=[near], daemon=True).start()

    def _join(self, near: socket.socket) -> None:
        with near, suppress(OSError):
            if not self.is_cut:
                with socket.create_connection(("127.0.0.1", self.port)) as far:
                    self._forward(near, far)

    def _forward(self, near: socket.socket, far: socket.socket) -> None:
        self.ends |= {near, far}
        doomed = threading.Event()
        back = threading.Thread(target=self._carry_back, args=[far, near, doomed], daemon=True)
        back.start()
        with suppress(OSError):
            while data := near.recv(CHUNK):
                if self.loses_answer_to and data.startswith(self.loses_answer_to):
                    self.loses_answer_to = b""
                    doomed.set()
                far.sendall(data)
        _close(far)
        back.join()
        self.ends -= {near, far}

    def _carry_back(self, far: socket.socket, near: socket.socket, doomed: threading.Event) -> None:
        with suppress(OSError):
            while data := far.recv(CHUNK):
                if doomed.is_set():
                    self.lost.set()
                    break
                near.sendall(data)
        _close(near)


@contextmanager
def wire_to(port: int) -> Iterator[Wire]:
    wire = Wire(port)
    try:
        yield wire
    finally:
        wire.close()


def _close(end: socket.socket) -> None:
    """Wake whoever waits at it, here and at the other end."""
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
