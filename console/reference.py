"""The pages of docs/ that are written from the code, so that they cannot say anything else."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from approvals.states import APPROVAL_MOVES
from console.catalogue import EventType, Version, catalogue, kind
from console.readings import READINGS, TRAJECTORY, Reading
from console.view_models.kept import KEPT
from console.view_models.trajectory import TrajectoryView
from runtime.states import ATTEMPT_MOVES, CALL_MOVES, VERIFICATION_MOVES, Move

STATES_INTRO = """# Every state and every move

Written by `manage.py write_reference` from the tables in `runtime/states.py` and
`approvals/states.py`. The triggers in the database are generated from the same tables: a move
that is not listed here is refused there, whoever asks.
"""
EVENTS_INTRO = """# Every event

Written by `manage.py write_reference` from the payload classes. `schemas/` beside this page has
the JSON Schema of each version, and so has `GET /api/v1/event-types`. An event is never changed: a
new need is a new version, stored beside the old ones, and old ones are read as the newest. All
versions are listed here, newest first; what writes a type writes its newest version only.
"""
READINGS_INTRO = """# The four readings of one log

Written by `manage.py write_reference` from `console/readings.py`, which endpoints ask.
In brackets, the scope that a token needs; the operator, beside the database, needs none.
`manage.py export_events` writes the part of the audit record that is the log alone.
"""
KEPT_INTRO = """## What a trajectory keeps

Of each field of a fact, from `console/view_models/kept.py`; what is not listed is left out.
`schemas/evaluation_trajectory.v1.json` is the schema of one line.

* as is: our own words and numbers. code: `[a-z][a-z0-9_]*`, or else `other`.
* pseudonym: the same for the same value in one workspace, under the installation's own key.
* speaker: a role and a number within the run. call, approval: a number within the run.
* presence: whether there is one. count: how many. seconds: since the run began.
* arguments: what the capability's own closed sets say as it is, the rest as pseudonyms.
* head: revision and count. standings, objections: by call. reasons: why, not who.
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
    pages = {
        "states.md": states_page(),
        "events.md": events_page(),
        "files.md": files_page(),
        "readings.md": readings_page(),
        f"schemas/{TRAJECTORY.name}.v{TRAJECTORY.schema_version}.json": _schema(
            TypeAdapter(TrajectoryView).json_schema(mode="serialization")
        ),
    }
    for event in catalogue().values():
        for version in event.versions:
            pages[f"schemas/{event.name}.v{version.number}.json"] = _schema(version.schema)
    return pages


def states_page() -> str:
    parts = [STATES_INTRO]
    for title, moves in TABLES.items():
        parts.append(f"## {title}\n\n{_moves_table(moves)}")
    return "\n".join(parts)


def events_page() -> str:
    return "\n".join([EVENTS_INTRO, *map(_event_type, catalogue().values()), _parts()])


def readings_page() -> str:
    head = ["| reading | version | who may have it | given by | owner |", "|---|---|---|---|---|"]
    rows = [
        f"| `{each.name}`: {each.says} | {each.schema_version} | {_allowed(each)} "
        f"| {', '.join(each.given_by)} | `{each.owner}` |"
        for each in READINGS
    ]
    fields = [f"| `{name}` | {how.name.lower().replace('_', ' ')} |" for name, how in KEPT.items()]
    kept = [KEPT_INTRO, "| field | kept as |", "|---|---|", *fields, ""]
    return "\n".join([READINGS_INTRO, *head, *rows, "", *kept])


def _allowed(reading: Reading) -> str:
    return ", ".join(f"{role} ({' or '.join(sorted(s))})" for role, s in reading.may.items())


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


def _schema(schema: Mapping[str, Any]) -> str:
    return json.dumps(schema, indent=2, sort_keys=True) + "\n"


def _moves_table(moves: Iterable[Move]) -> str:
    rows = ["| from | to | cause | event |", "|---|---|---|---|"]
    for move in moves:
        events = ", ".join(f"`{event}`" for event in move.events)
        rows.append(f"| {move.source or 'nothing'} | {move.target} | {move.cause} | {events} |")
    return "\n".join(rows) + "\n"


def _event_type(event: EventType) -> str:
    writers = ", ".join(f"`{path}`" for path in event.writers)
    parts = [f"## `{event.name}`\n\nWritten by {writers}.\n"]
    parts.extend(_version(version) for version in reversed(event.versions))
    return "\n".join(parts)


def _version(version: Version) -> str:
    upcast = f" Read as version {version.number + 1}: {version.upcast}" if version.upcast else ""
    fields = version.schema.get("properties", {})
    rows = [f"| `{name}` | {kind(schema)} |" for name, schema in fields.items()]
    table = ["| field | holds |", "|---|---|", *rows] if rows else ["It has no fields."]
    return "\n".join([f"Version {version.number}. {version.meaning}{upcast}", "", *table, ""])


def _parts() -> str:
    """What several types are made of, described once."""
    found = {
        name: schema
        for event in catalogue().values()
        for version in event.versions
        for name, schema in version.schema.get("$defs", {}).items()
    }
    return "\n".join(["## Parts\n", *(_part(name, found[name]) for name in sorted(found))])


def _part(name: str, schema: Mapping[str, Any]) -> str:
    meaning = " ".join(schema.get("description", "").split())
    if "enum" in schema:
        return f"`{name}`. {meaning} One of {kind(schema)}.\n".replace(".  One", ". One")
    fields = [f"`{field}`: {kind(held)}" for field, held in schema.get("properties", {}).items()]
    return f"`{name}`. {meaning} Holds {'; '.join(fields)}.\n".replace(".  Holds", ". Holds")
