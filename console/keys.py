"""Where this installation's secrets come from: the environment, or a private file of DATA_DIR."""

from __future__ import annotations

import base64
import os
import secrets
from pathlib import Path


def secret_for(name: str, data_dir: Path) -> str:
    """Answer the secret, making it once where neither place has it yet.

    The value is 32 random bytes in base64url; the file has mode 0600.
    """
    if value := kept_secret(name, data_dir):
        return value
    path = _path(name, data_dir)
    _make(path)
    return path.read_text().strip()


def kept_secret(name: str, data_dir: Path) -> str | None:
    """Answer the secret if there is one: whoever only checks with it makes none."""
    if value := os.environ.get(name):
        return value
    path = _path(name, data_dir)
    return path.read_text().strip() if path.exists() else None


def _path(name: str, data_dir: Path) -> Path:
    return data_dir / "keys" / name.lower()


def _make(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_suffix(f".{os.getpid()}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write(base64.urlsafe_b64encode(secrets.token_bytes(32)).decode())
    try:
        # Whoever links first has made the key; everybody else reads that one.
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
