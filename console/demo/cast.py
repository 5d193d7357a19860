"""Who plays in the demo: each of its programs, how it is started and with which settings."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from console.demo.credentials import ACCOUNT, credentials
from console.embedded.data_dir import Endpoints, Layout
from console.embedded.processes import Child

CHECKOUT = Path(__file__).resolve().parent.parent.parent
HOST = "127.0.0.1"
# The checks are for who changes the code; each program would repeat them.
QUICK = ("--skip-checks",)
# A person watches: everything that usually takes minutes takes seconds.
TIMINGS = {
    "PROVIDER_TIMEOUT_S": "5",
    "ATTEMPT_LEASE_S": "15",
    "SETTLE_DELAY_S": "2",
    "FIRST_LOOK_S": "1",
    "FIRST_RECHECK_S": "20",
    "ANCHOR_EVERY_S": "5",
}


@dataclass(frozen=True, kw_only=True)
class Cast:
    where: Layout
    endpoints: Endpoints
    port: int
    sandbox_port: int
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"

    @property
    def sandbox_url(self) -> str:
        return f"http://{HOST}:{self.sandbox_port}"

    def sandbox(self) -> Child:
        keys = credentials(self.where.root)
        command = ["-m", "runtime.sandbox", "--port", str(self.sandbox_port)]
        return self._program(
            "sandbox",
            [*command, "--state", str(self.where.root / "sandbox")],
            {
                "SANDBOX_API_KEY": keys.api_key,
                "SANDBOX_TOKEN": keys.control_token,
                "SANDBOX_WEBHOOK_URL": f"{self.url}/webhooks/stripe/{ACCOUNT}",
                "SANDBOX_WEBHOOK_SECRET": keys.webhook_secret,
            },
        )

    def preparation(self, *, fresh: bool) -> Child:
        command = ["manage.py", "prepare_demo", "--url", self.url]
        command += ["--sandbox-url", self.sandbox_url, *(["--fresh"] if fresh else [])]
        return self._program("prepare", command, {"OWNER_DATABASE_URL": self.endpoints.owner_url})

    def services(self) -> list[Child]:
        web = ["manage.py", "serve", *QUICK, "--host", HOST, "--port", str(self.port)]
        return [
            self._program("web", web),
            self._program("worker-1", ["manage.py", "worker", *QUICK]),
            self._program("worker-2", ["manage.py", "worker", *QUICK]),
            self._program("relay", ["manage.py", "relay", *QUICK]),
        ]

    def agent(self) -> Child:
        return self._program(
            "agent", ["-m", "console.demo.tickets", "--data", str(self.where.root)]
        )

    def _program(
        self, name: str, words: list[str], settings: Mapping[str, str] | None = None
    ) -> Child:
        ours = {
            "DATA_DIR": str(self.where.root),
            "DATABASE_URL": self.endpoints.database_url,
            # Whoever serves cannot do what the owner of the tables can.
            "OWNER_DATABASE_URL": "",
            "REDIS_URL": self.endpoints.redis_url,
            "COUNTERSIGN_DEMO": "True",
            "PUBLIC_URL": self.url,
            "STRIPE_API_BASE": self.sandbox_url,
            # Everything the demo calls is here; a proxy would not find it.
            "NO_PROXY": "*",
            "PYTHONUNBUFFERED": "1",
        }
        return Child(
            name=name,
            argv=[sys.executable, *words],
            env={**self.environ, **TIMINGS, **ours, **(settings or {})},
            cwd=CHECKOUT,
        )
