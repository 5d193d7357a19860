"""What the system knows about a process: its words, and when it started."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def started_at(pid: int) -> str | None:
    """Answer a live process's start, which no later process of this pid shares."""
    if sys.platform != "linux":
        return _ps(pid, "lstart=")
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    state, *fields = status.rpartition(")")[2].split()
    if state in "ZX":
        return None
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return f"{boot}:{fields[18]}"


def command_line(pid: int) -> str | None:
    """Answer the words a live process was started with."""
    if sys.platform != "linux":
        return _ps(pid, "args=")
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return words.replace(b"\0", b" ").decode(errors="replace") or None


def _ps(pid: int, column: str) -> str | None:
    listing = subprocess.run(  # noqa: S603 - a pid and a column name of ours
        ["/bin/ps", "-o", f"stat=,{column}", "-p", str(pid)],
        capture_output=True,
        text=True,
        check=False,
    )
    state, _, answer = listing.stdout.strip().partition(" ")
    return None if state.startswith("Z") else answer.strip() or None
