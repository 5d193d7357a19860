"""The sandbox provider as tests use it: its control calls, and the process itself."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Self

import httpx

ROOT = Path(__file__).parent.parent


class SandboxClient:
    """Controls a running sandbox; every refused control call raises."""

    def __init__(self, url: str, token: str) -> None:
        self.http = httpx.Client(
            base_url=f"{url}/_sandbox", headers={"X-Sandbox-Token": token}, trust_env=False
        )

    def _send(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        answer = self.http.request(method, path, json=body)
        if answer.is_error:
            raise AssertionError(f"{method} {path}: {answer.status_code} {answer.text}")
        return answer.json() if answer.content else None

    def payment(self, amount, currency="usd", metadata=None, *, disputed=False):
        body = {"amount": amount, "currency": currency, "metadata": metadata or {}}
        return self._send("POST", "/payments", {**body, "disputed": disputed})

    def dispute(self, payment: str, *, disputed=True):
        return self._send("PATCH", f"/payments/{payment}", {"disputed": disputed})

    def fault(self, on: str, kind: str, times=1, **more):
        """`more`: match={"payment": …, "intent": …}, status, seconds, after_commit."""
        return self._send("POST", "/faults", {"on": on, "kind": kind, "times": times, **more})

    def clear_faults(self) -> None:
        self._send("DELETE", "/faults")

    def journal(self, intent: str | None = None):
        answer = self.http.get("/journal", params={} if intent is None else {"intent": intent})
        return answer.raise_for_status().json()["entries"]

    def payouts(self, intent: str | None = None) -> int:
        """How many executions moved money: the number every money test is about."""
        return sum(entry["moved_money"] for entry in self.journal(intent))

    def refund_by_someone_else(self, payment: str, amount: int, metadata=None):
        body = {"payment": payment, "amount": amount, "metadata": metadata or {}}
        return self._send("POST", "/refunds", body)

    def move_refund(self, refund: str, status: str, failure_reason=None):
        body = {"status": status}
        if failure_reason is not None:
            body["failure_reason"] = failure_reason
        return self._send("POST", f"/refunds/{refund}", body)

    def webhooks(self, mode: str) -> None:
        self._send("POST", "/webhooks", {"mode": mode})

    def profile(self, profile: str) -> None:
        self._send("POST", "/profile", {"profile": profile})

    def advance_clock(self, seconds: int) -> None:
        self._send("POST", "/clock", {"advance_seconds": seconds})


class Sandbox:
    """A sandbox process with a state folder of its own; started again, it knows what it knew."""

    def __init__(self, state: Path, *, webhook_url="", key_life_s=86_400, port=None) -> None:
        self.state = state
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.api_key = "sk_test_sandbox"
        self.webhook_secret = "whsec_sandbox"
        self.token = "control-token"
        self.environment = {
            "SANDBOX_API_KEY": self.api_key,
            "SANDBOX_TOKEN": self.token,
            "SANDBOX_WEBHOOK_URL": webhook_url,
            "SANDBOX_WEBHOOK_SECRET": self.webhook_secret,
            "KEY_LIFE_S": str(key_life_s),
        }
        self.control = SandboxClient(self.url, self.token)
        self.process: Any = None

    def start(self) -> Self:
        self.state.mkdir(parents=True, exist_ok=True)
        log = self.state / "errors.log"
        with log.open("a") as errors:
            self.process = subprocess.Popen(
                sandbox_command(self.port, self.state),
                cwd=ROOT,
                env={"PATH": os.environ["PATH"], **self.environment},
                stdout=subprocess.DEVNULL,
                stderr=errors,
            )
        deadline = time.monotonic() + 15
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise AssertionError(log.read_text())
            try:
                self.control.journal()
            except httpx.TransportError:
                time.sleep(0.05)
            else:
                return self
        self.kill()
        raise AssertionError("the sandbox did not answer within 15 s")

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_problem: object) -> None:
        self.kill()
        self.control.http.close()

    def stop(self):
        """SIGTERM; the exit code."""
        self.process.terminate()
        return self.process.wait(10)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(10)


def sandbox_command(port: int, state: Path) -> list[str]:
    return [sys.executable, "-m", "runtime.sandbox", "--port", str(port), "--state", str(state)]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
