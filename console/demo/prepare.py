"""Before anything of the demo serves: its database claimed, migrated, seeded; demo.json written."""

from __future__ import annotations

import json
import os
from pathlib import Path

from django.core.management import call_command
from django.db import OperationalError
from psycopg.errors import DiskFull

from console.demo.claim import claim
from console.demo.credentials import credentials
from console.demo.seed import seed
from console.embedded.errors import StartError, no_space, plain_errors
from runtime.models import Heartbeat


def prepare(data_dir: Path, *, url: str, sandbox_url: str, fresh: bool) -> None:
    """Make what is missing and keep what is there. Raises StartError."""
    try:
        claim(fresh=fresh)
        call_command("migrate", interactive=False, verbosity=0)
        # The processes of an earlier demo are gone, however lately they were heard.
        Heartbeat.objects.all().delete()
        keys, path = credentials(data_dir), data_dir / "demo.json"
        tokens = seed(_tokens(path), sandbox_url=sandbox_url, keys=keys)
    except OperationalError as error:
        if isinstance(error.__cause__, DiskFull):
            raise no_space(data_dir) from error
        raise StartError(f"The database cannot be used: {str(error).splitlines()[0]}") from error
    content = {
        "url": url,
        "sandbox_url": sandbox_url,
        "sandbox_token": keys.control_token,
        "tokens": tokens,
    }
    with plain_errors(data_dir):
        _write_private(path, json.dumps(content, indent=2))


def _tokens(path: Path) -> dict[str, str]:
    if not path.exists():
        return {}
    tokens: dict[str, str] = json.loads(path.read_text())["tokens"]
    return tokens


def _write_private(path: Path, text: str) -> None:
    draft = path.with_suffix(".partial")
    draft.unlink(missing_ok=True)
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write(text)
    draft.replace(path)
