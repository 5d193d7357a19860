"""The whole thing as the tests use it: `manage.py demo` as a real process, played over HTTP."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Self, cast

import httpx

from console.embedded.data_dir import layout, postgres_url
from tests.embedded.conftest import new_data_dir
from tests.external import own_part
from tests.sandbox_client import SandboxClient, free_port

ROOT = Path(__file__).parent.parent
ENDED_WITHIN_S = 30
SERVERS = {"DATABASE_URL", "OWNER_DATABASE_URL", "REDIS_URL", "DATA_DIR", "DJANGO_SETTINGS_MODULE"}


class Stack:
    """A demo in a DATA_DIR of its own; stopped or killed and started again, it knows what it knew.

    `environment` and `options` count from the next start on.
    """

    def __init__(self, data_dir: Path, *options: str, **environment: str) -> None:
        self.data_dir = data_dir
        self.options = options
        self.environment = environment
        self.port, self.sandbox_port = free_port(), free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.clients: dict[str, Any] = {}
        self.process: Any = None
        self.errors = ""

    def command(self, *options: str) -> list[str]:
        ports = ["--port", str(self.port), "--sandbox-port", str(self.sandbox_port)]
        data = ["--data", str(self.data_dir)]
        return [sys.executable, "manage.py", "demo", *ports, *data, *self.options, *options]

    def start(self, *options: str) -> Self:
        """Start it and read what it says up to the ready line."""
        self.stderr = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed by _reap
        self.process = subprocess.Popen(
            self.command(*options),
            cwd=ROOT,
            env=environment(**self.environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self.stderr,
            text=True,
            start_new_session=True,
        )
        line = self.process.stdout.readline()
        if line != f"ready {self.url}/\n":
            self.kill()
            raise AssertionError(f"{line!r}\n{self.errors}")
        return self

    def kill(self) -> None:
        """SIGKILL for the demo alone, as the kernel does when memory runs out."""
        self.process.kill()
        self._reap()

    def stop(self, how: signal.Signals = signal.SIGINT) -> int:
        """Ctrl-C; the exit status."""
        self.process.send_signal(how)
        return self._reap()

    def restart(self) -> Self:
        self.stop()
        return self.start()

    def kill_process(self, name: str, how: signal.Signals = signal.SIGKILL) -> int:
        """Kill one of its programs and answer the pid it had."""
        pid = self.processes()[name]
        os.kill(pid, how)
        return pid

    def processes(self) -> dict[str, int]:
        recorded: dict[str, int] = json.loads((self.data_dir / "processes.json").read_text())
        return recorded

    @property
    def database_url(self) -> str:
        return self.environment.get("DATABASE_URL") or postgres_url(layout(self.data_dir))

    def complaints(self, *command: str) -> list[str]:
        """Run a checking manage.py command on what it has stored; what it says if it fails."""
        ran = subprocess.run(
            [sys.executable, "manage.py", *command],
            cwd=ROOT,
            env=environment(**self.environment, DATA_DIR=str(self.data_dir)),
            capture_output=True,
            text=True,
            check=False,
        )
        return (ran.stdout + ran.stderr).splitlines() if ran.returncode else []

    @property
    def demo(self) -> dict[str, Any]:
        content: dict[str, Any] = json.loads((self.data_dir / "demo.json").read_text())
        return content

    @property
    def tokens(self) -> dict[str, str]:
        tokens: dict[str, str] = self.demo["tokens"]
        return tokens

    @property
    def sandbox(self) -> SandboxClient:
        demo = self.demo
        make = partial(SandboxClient, demo["sandbox_url"], demo["sandbox_token"])
        return cast("SandboxClient", self._client("sandbox", make))

    def api(self, user: str) -> Api:
        return cast("Api", self._client(user, partial(Api, self.url, self.tokens[user])))

    def _client(self, name: str, make: Callable[[], Any]) -> Any:
        if name not in self.clients:
            self.clients[name] = make()
        return self.clients[name]

    def _reap(self) -> int:
        """Wait for its end; what it said on the way is in `errors` then."""
        while self.clients:
            self.clients.popitem()[1].http.close()
        status: int = self.process.wait(ENDED_WITHIN_S)
        self.process.stdout.close()
        self.stderr.seek(0)
        self.errors = self.stderr.read()
        self.stderr.close()
        return status


class Api:
    """The API as one user's program sees it. `get` and `post` answer what came; a refusal raises.

    `send` answers the response itself, for tests about refusals.
    """

    def __init__(self, url: str, token: str) -> None:
        self.http = httpx.Client(
            base_url=f"{url}/api/v1",
            headers={"Authorization": f"Bearer {token}"},
            # A kept connection may be one the server is just closing.
            limits=httpx.Limits(max_keepalive_connections=0),
            timeout=40,
            trust_env=False,
        )

    def send(self, method: str, path: str, body: object = None, **headers: str) -> httpx.Response:
        return self.http.request(method, path, json=body, headers=headers)

    def get(self, path: str, **query: Any) -> Any:
        return _success(self.http.get(path, params=query))

    def post(self, path: str, body: object, **headers: str) -> Any:
        return _success(self.send("POST", path, body, **headers))

    def start_run(self, order: str, **more: Any) -> Any:
        run = {
            "agent": "a test's agent",
            "goal": f"Settle what is owed for order {order}",
            "success_criterion": "The money is back",
            "subject": {"order_id": order},
            "harness": "external",
        }
        return self.post("/runs", run | more)

    def propose(
        self, run: Any, payment: str, intent: str, amount=500, currency="USD", **more: Any
    ) -> Any:
        call = {
            "capability": "refund-payment",
            "intent": intent,
            "arguments": {
                "payment": payment,
                "amount": {"minor": amount, "currency": currency},
                "reason": "requested_by_customer",
            },
            "reasoning": {"summary": "It is owed.", "evidence": []},
        }
        return self.post(f"/runs/{run['id']}/tool-calls", call | more)

    def call(self, call: Any) -> Any:
        return self.get(f"/tool-calls/{call['id']}")

    def approval_of(self, call: Any) -> Any:
        return self.get(f"/approvals/{self.call(call)['approval']}")

    def decide(self, approval: Any, decision: str, **more: Any) -> httpx.Response:
        body = {
            "command_id": f"{decision} {approval['id']} {approval['revision']}",
            "decision": decision,
            "revision": approval["revision"],
            "digest": approval["digest"],
        }
        return self.send("POST", f"/approvals/{approval['id']}/decisions", body | more)

    def approve(self, call: Any) -> Any:
        """Approve what the call waits for; the receipt."""
        return _success(self.decide(self.approval_of(call), "approve"))

    def wait_for(self, call: Any, is_there: Callable[[Any], object], within: float = 30) -> Any:
        """Read the call until it is as wanted."""
        deadline = time.monotonic() + within
        while not is_there(found := self.call(call)):
            if time.monotonic() > deadline:
                raise AssertionError(f"not within {within} s: {json.dumps(found, indent=1)}")
            time.sleep(0.1)
        return found


def is_confirmed(call: Any) -> bool:
    return bool(call["verification_status"] == "confirmed_success")


def environment(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in SERVERS}
    return kept | more


@contextmanager
def running_stack(*options: str, **more: str) -> Iterator[Stack]:
    with new_data_dir() as where, own_part() as servers:
        stack = Stack(where.root, *options, **servers, **more).start()
        try:
            yield stack
        finally:
            if stack.process.poll() is None:
                stack.stop()


def _success(answer: httpx.Response) -> Any:
    if answer.is_error:
        raise AssertionError(f"{answer.request.method} {answer.url}: {answer.text}")
    return answer.json()
