"""A worker, a relay and a Valkey of a test's own, as real processes on the test's database."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from django.conf import settings
from django.db import connection

from console.embedded.data_dir import Layout, postgres_url
from console.embedded.home import make_data_dir, remove_sockets
from console.embedded.processes import spawn
from console.embedded.valkey import answers, valkey

ROOT = Path(__file__).parents[3]


def wait_for(done: Callable[[], object], *, within_s=60.0) -> None:
    deadline = time.monotonic() + within_s
    while not done():
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {within_s:g} s")
        time.sleep(0.05)


@dataclass(kw_only=True)
class Crew:
    """Processes by name; whatever still runs at the end is killed."""

    where: Layout
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def __enter__(self) -> Self:
        make_data_dir(self.where)
        return self

    def __exit__(self, *_problem: object) -> None:
        for name in list(self.running):
            self.kill(name)
        remove_sockets(self.where)

    def start_valkey(self) -> None:
        self.running["valkey"] = spawn(valkey(self.where), self.log("valkey"))
        wait_for(lambda: answers(self.where))

    def start(self, name: str, **environment: str) -> None:
        """Run `manage.py worker` or `manage.py relay`."""
        with self.log(name).open("ab") as output:
            self.running[name] = subprocess.Popen(
                [sys.executable, "manage.py", name],
                cwd=ROOT,
                env={**self._environment(), **environment},
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def stop(self, name: str) -> int:
        """Ask with SIGTERM; answer the exit code."""
        process = self.running.pop(name)
        process.terminate()
        return process.wait(20)

    def kill(self, name: str) -> None:
        process = self.running.pop(name)
        process.kill()
        process.wait(10)

    def log(self, name: str) -> Path:
        return self.where.logs / f"{name}.log"

    def _environment(self) -> dict[str, str]:
        name = connection.settings_dict["NAME"]
        return {
            "PATH": os.environ["PATH"],
            "DATA_DIR": str(self.where.root),
            "DATA_KEY": ",".join(settings.DATA_KEYS),
            "SECRET_KEY": settings.SECRET_KEY,
            "DATABASE_URL": postgres_url(Layout(root=settings.DATA_DIR.resolve()), name),
            "REDIS_URL": f"unix://{self.where.valkey_socket}",
            "PROVIDER_TIMEOUT_S": "3",
            "ATTEMPT_LEASE_S": "8",
            "SETTLE_DELAY_S": "0.5",
            "FIRST_LOOK_S": "0.5",
        }
