"""What the demo and its sandbox provider share: made once per DATA_DIR."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from console.keys import secret_for


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    api_key: str
    control_token: str


def credentials(data_dir: Path) -> Credentials:
    return Credentials(
        api_key=f"sk_test_{secret_for('SANDBOX_API_KEY', data_dir)}",
        control_token=secret_for("SANDBOX_TOKEN", data_dir),
    )
