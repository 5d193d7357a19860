"""What agents and people may ask of a run: one module a command, one transaction each."""

from __future__ import annotations

from runtime.handlers.propose import Propose, Proposed, propose
from runtime.handlers.run_commands import RunCommand, RunCommandKind, command_run
from runtime.handlers.start import Started, StartRun, start_run

__all__ = [
    "Propose",
    "Proposed",
    "RunCommand",
    "RunCommandKind",
    "StartRun",
    "Started",
    "command_run",
    "propose",
    "start_run",
]
