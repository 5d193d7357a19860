"""Stop the first process that reaches a named point, so that it can be killed right there."""

from __future__ import annotations

import json
import os
import secrets
import signal
import threading
from contextlib import suppress
from pathlib import Path
from typing import Literal

from django.conf import settings

Point = Literal[
    "before_intent",
    "after_intent",
    "after_sent",
    "after_write",
    "after_answer",
    "after_record",
    "before_append",
    "after_append",
    "before_grant",
    "after_grant",
    "after_model",
    "after_number",
    "before_cursor",
]


def pause_at(point: Point) -> None:
    """Send ourselves SIGSTOP at PAUSE_AT, once per DATA_DIR; in development and demo only."""
    if os.environ.get("PAUSE_AT") != point or not (settings.DEMO or settings.DEBUG):
        return
    if _is_first(point, Path(settings.DATA_DIR)):
        # Sent to the process, another thread may take it while this one runs on.
        signal.pthread_kill(threading.get_ident(), signal.SIGSTOP)


def _is_first(point: Point, folder: Path) -> bool:
    """Write `paused.json` whole or not at all; it exists for one process only."""
    draft = folder / f"paused.{secrets.token_hex(8)}"
    draft.write_text(json.dumps({"point": point, "pid": os.getpid()}))
    with suppress(FileExistsError):
        os.link(draft, folder / "paused.json")
        draft.unlink()
        return True
    draft.unlink()
    return False
