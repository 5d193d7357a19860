"""What the tests run in processes of their own, by name."""

from __future__ import annotations

import os
import signal
import sys
import time
from dataclasses import replace

from console.demo.supervisor import supervised
from console.embedded.crew import Crew
from console.embedded.data_dir import layout, resolve
from console.embedded.errors import StartError
from console.embedded.identity import server_account
from console.embedded.postgres import postgres
from console.embedded.processes import Child
from console.embedded.session import owned, running, servers

NO_SERVERS_GIVEN: dict[str, str] = {}


def command(data_dir: str) -> None:
    """A command that uses the servers until its input ends."""
    where = layout(data_dir)
    with running(where, resolve(where.root, NO_SERVERS_GIVEN), durable=False):
        print("ready", flush=True)
        sys.stdin.read()


def command_of_nobody(data_dir: str) -> None:
    """The same as an ordinary user, who may not even enter the folder of this interpreter."""
    if os.geteuid() == 0:
        account = server_account()
        os.setgroups([])
        os.setgid(account.gid)
        os.setuid(account.uid)
    command(data_dir)


def orphan(data_dir: str) -> None:
    """An owner that is gone while its server runs on, as without the kernel's help."""
    where = layout(data_dir)
    with owned(where):
        child = postgres(where, durable=False)
        Crew(logs=where.logs).start(replace(child, death_signal=signal.SIGURG))
        os._exit(0)


def demo(data_dir: str, port: str = "", fresh: str = "") -> None:
    """A demo of the servers and one more child."""
    where = layout(data_dir)
    ports = {"--port": int(port)} if port else {}
    with supervised(where, ports, say=say, fresh=bool(fresh)) as crew:
        for child in servers(where, resolve(where.root, NO_SERVERS_GIVEN), durable=False):
            crew.start(child)
        crew.start(sleeper("web"))
        say("ready")
        crew.tend_forever()


def sleeper(name: str) -> Child:
    return Child(name=name, argv=["/bin/sleep", "600"], env={"PATH": os.defpath})


def stubborn() -> None:
    """Ignores being asked to stop, and so does its own child."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print(os.fork(), flush=True)
    time.sleep(600)


def say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    programs = (command, command_of_nobody, demo, orphan, stubborn)
    try:
        {program.__name__: program for program in programs}[sys.argv[1]](*sys.argv[2:])
    except StartError as error:
        sys.exit(str(error))
