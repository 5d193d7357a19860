"""Starting and ending the sandbox: `python -m runtime.sandbox --port 8001 --state DIR`."""

from __future__ import annotations

import argparse
import os
import signal
import socket
import sqlite3
import sys
from pathlib import Path
from types import FrameType

import uvicorn

from runtime.sandbox.app import build_app
from runtime.sandbox.connections import BreakableProtocol
from runtime.sandbox.settings import StartRefusedError, read_settings
from runtime.sandbox.store import Store

HOST = "127.0.0.1"
# Longer than any client keeps an idle connection: a close in between looks like a lost request.
KEEP_ALIVE_S = 300


def port_number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= 65535):  # noqa: PLR2004 - TCP's
        raise argparse.ArgumentTypeError(f"{text!r} is not a port")
    return int(text)


def bind(port: int) -> socket.socket:
    # The protocol is spelt out: without it asyncio leaves Nagle's delay on, 40 ms an answer.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen(128)
    except OSError as error:
        raise StartRefusedError(f"port {port} on {HOST}: {error.strerror}") from error
    return listener


def open_store(directory: Path) -> Store:
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        return Store(directory / "sandbox.sqlite3")
    except (OSError, sqlite3.Error) as error:
        raise StartRefusedError(f"state in {directory}: {error}") from error


def end(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m runtime.sandbox", description=__doc__)
    parser.add_argument("--port", type=port_number, default=8001)
    parser.add_argument("--state", type=Path, required=True, metavar="DIR")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    try:
        settings = read_settings(os.environ)
        listener = bind(arguments.port)
        store = open_store(arguments.state)
    except StartRefusedError as refused:
        sys.stderr.write(f"sandbox: {refused}\n")
        raise SystemExit(2) from refused
    config = uvicorn.Config(
        build_app(settings, store),
        http=BreakableProtocol,
        ws="none",
        lifespan="off",
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=1,
    )
    sys.stdout.write(f"sandbox provider on http://{HOST}:{listener.getsockname()[1]}\n")
    sys.stdout.flush()
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
