"""The record of the processes a demo runs, and the end of those a killed demo left."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from console.embedded.data_dir import Layout
from console.embedded.process_table import started_at


def record(where: Layout, pids: Mapping[str, int]) -> None:
    """Write who runs; the starts come first, so that no recorded pid lacks its own."""
    if not pids:
        where.processes.unlink(missing_ok=True)
        where.starts.unlink(missing_ok=True)
        return
    _replace(where.starts, {str(pid): started_at(pid) for pid in pids.values()})
    _replace(where.processes, dict(pids))


def end_leftovers(where: Layout, *, wait: float) -> bool:
    """End recorded processes that still run; answer whether there was a record at all."""
    if not where.starts.exists():
        return False
    leftovers = _leftovers(where)
    _signal(leftovers, signal.SIGTERM)
    deadline = time.monotonic() + wait
    while (leftovers := _leftovers(where)) and time.monotonic() < deadline:
        time.sleep(0.1)
    _signal(leftovers, signal.SIGKILL)
    return True


def _leftovers(where: Layout) -> list[int]:
    try:
        starts = json.loads(where.starts.read_text())
    except ValueError:  # cut short by a power failure: nothing of it runs
        return []
    return [int(pid) for pid, start in starts.items() if start and started_at(int(pid)) == start]


def _signal(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.killpg(pid, number)


def _replace(path: Path, content: Mapping[str, object]) -> None:
    draft = path.with_suffix(".partial")
    draft.write_text(json.dumps(content))
    draft.replace(path)
