"""The pages of docs/ that are written from the code, so that they cannot say anything else."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable
from pathlib import Path

import approvals.events  # noqa: F401 - registers its event types
import runtime.events  # noqa: F401 - the same
from approvals.states import APPROVAL_MOVES
from runtime.event_types import Payload, registered
from runtime.states import ATTEMPT_MOVES, CALL_MOVES, VERIFICATION_MOVES, Move

STATES_INTRO = """# Every state and every move

Written by `manage.py write_reference` from the tables in `runtime/states.py` and
`approvals/states.py`. The triggers in the database are generated from the same tables: a move
that is not listed here is refused there, whoever asks.
"""
EVENTS_INTRO = """# Every event

Written by `manage.py write_reference` from the payload classes. `schemas/` beside this page has
the JSON Schema of each. An event is never changed: a new need is a new version, and old versions
are read as they were written.
"""
FILES_INTRO = """# Every file and its one sentence

Written by `manage.py write_reference` from the first line of each file.
"""
ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("runtime", "approvals", "console")
TABLES = {
    "Tool call: execution": CALL_MOVES,
    "Tool call: attempts": ATTEMPT_MOVES,
    "Tool call: outcome verification": VERIFICATION_MOVES,
    "Approval": APPROVAL_MOVES,
}


def reference() -> dict[str, str]:
    """Answer every generated file, by its path below docs/."""
    pages = {"states.md": states_page(), "events.md": events_page(), "files.md": files_page()}
    for event in registered():
        name = f"schemas/{event.event_type}.v{event.schema_version}.json"
        pages[name] = json.dumps(event.model_json_schema(), indent=2, sort_keys=True) + "\n"
    return pages


def states_page() -> str:
    parts = [STATES_INTRO]
    for title, moves in TABLES.items():
        parts.append(f"## {title}\n\n{_moves_table(moves)}")
    return "\n".join(parts)


def events_page() -> str:
    return "\n".join([EVENTS_INTRO, *(_event(event) for event in registered())])


def files_page() -> str:
    parts = [FILES_INTRO]
    for room in ROOMS:
        paths = sorted(path.relative_to(ROOT) for path in (ROOT / room).rglob("*.py"))
        rows = [f"| `{path}` | {said} |" for path in paths if (said := _sentence(path))]
        parts.append("\n".join([f"## {room}", "", "| file | what it is |", "|---|---|", *rows, ""]))
    return "\n".join(parts)


def _sentence(path: Path) -> str | None:
    said = ast.get_docstring(ast.parse((ROOT / path).read_text()))
    return None if said is None else " ".join(said.split("\n\n")[0].split())


def _moves_table(moves: Iterable[Move]) -> str:
    rows = ["| from | to | cause | event |", "|---|---|---|---|"]
    for move in moves:
        events = ", ".join(f"`{event}`" for event in move.events)
        rows.append(f"| {move.source or 'nothing'} | {move.target} | {move.cause} | {events} |")
    return "\n".join(rows) + "\n"


def _event(event: type[Payload]) -> str:
    schema = event.model_json_schema()
    fields = ", ".join(f"`{name}`" for name in schema.get("properties", {})) or "nothing more"
    about = " ".join((event.__dict__.get("__doc__") or "").split())
    said = f"{about}\n\n" if about else ""
    heading = f"## `{event.event_type}` version {event.schema_version}"
    return f"{heading}\n\n{said}Carries {fields}.\n"
