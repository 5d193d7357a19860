"""What the demo and its sandbox provider share: made once per DATA_DIR."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import UUID

from console.keys import secret_for

# The same in every demo: the sandbox is told the webhook's address before there is a database.
ACCOUNT: Final = UUID("7f0c2a52-6f1d-4b0e-9a63-6d1c5f2e8b41")


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    api_key: str
    control_token: str
    webhook_secret: str


def credentials(data_dir: Path) -> Credentials:
    return Credentials(
        api_key=f"sk_test_{secret_for('SANDBOX_API_KEY', data_dir)}",
        control_token=secret_for("SANDBOX_TOKEN", data_dir),
        webhook_secret=f"whsec_{secret_for('SANDBOX_WEBHOOK_SECRET', data_dir)}",
    )
