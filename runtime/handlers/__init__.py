"""What agents and people may ask of a run: one module a command, one transaction each."""

from __future__ import annotations

from runtime.handlers.append_items import Appended, AppendItems, append_items
from runtime.handlers.ask_gates import Denied, Granted, ask_gates
from runtime.handlers.propose import Propose, Proposed, propose
from runtime.handlers.repair_session import RepairSession, repair_session
from runtime.handlers.run_commands import RunCommand, RunCommandKind, command_run
from runtime.handlers.start import Started, StartRun, start_run

__all__ = [
    "AppendItems",
    "Appended",
    "Denied",
    "Granted",
    "Propose",
    "Proposed",
    "RepairSession",
    "RunCommand",
    "RunCommandKind",
    "StartRun",
    "Started",
    "append_items",
    "ask_gates",
    "command_run",
    "propose",
    "repair_session",
    "start_run",
]
