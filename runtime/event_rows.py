"""How facts become rows: events, outbox and the run's head, in one statement however many."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from django.db import connection
from django.db.models import Model

from runtime.event_types import Envelope
from runtime.rows import update_row

ENVELOPE_COLUMNS: Final = [
    name for name in Envelope.model_fields if name not in {"workspace", "run", "position"}
]
COLUMNS: Final = [
    *("workspace_id", "run_id", "position", "body", "prev_hash", "hash"),
    *ENVELOPE_COLUMNS,
]
# Where rows move along the tables of runtime.states and approvals.states.
MOVES: Final = frozenset({"status", "execution_status", "verification_status"})
WRITTEN: Final = ("runtime_event", "runtime_outbox", "runtime_run")
WRITE: Final = """
WITH told AS (
    INSERT INTO runtime_outbox (workspace_id, run_id, position)
    SELECT %s, %s, position FROM generate_series(%s, %s) AS position ORDER BY position
), moved AS (
    UPDATE runtime_run SET head = %s, head_hash = %s WHERE id = %s
)
INSERT INTO runtime_event ({columns}) VALUES {rows}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A fact as the log keeps it."""

    envelope: Envelope
    body: str
    prev_hash: str
    hash: str


@dataclass(slots=True, kw_only=True)
class Unwritten:
    """What a stretch of a transaction has recorded and not written yet."""

    is_open: bool = False
    lines: list[Line] = field(default_factory=list)
    # By the object itself: two that stand for one row are two writes, in their order.
    rows: dict[int, tuple[Model, dict[str, Any]]] = field(default_factory=dict)

    def concerns(self, sql: str) -> bool:
        """Tell whether a statement looks at a table with something unwritten in it."""
        tables = {row._meta.db_table for row, _ in self.rows.values()}  # noqa: SLF001
        return any(table in sql for table in (*tables, *(WRITTEN if self.lines else ())))

    def write(self) -> None:
        lines, rows = self.lines, self.rows
        self.lines, self.rows = [], {}
        if lines:
            write(lines)
        for row, values in rows.values():
            update_row(row, values)

    def add(self, row: Model, values: Mapping[str, Any]) -> None:
        """A second move of a row waits for the first: its guards see every move."""
        _, before = self.rows.get(id(row), (row, {}))
        if any(
            name in before and before[name] != values.get(name) for name in MOVES & values.keys()
        ):
            self.write()
        self.rows.setdefault(id(row), (row, {}))[1].update(values)

    def write_first(
        self,
        execute: Callable[..., Any],
        sql: str,
        *more: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        """Wrap a statement: adding rows looks for nothing."""
        if not sql.startswith("INSERT") and self.concerns(sql):
            self.write()
        return execute(sql, *more)


def write(lines: Sequence[Line]) -> None:
    """Store facts that follow each other in one run; the caller holds the run's lock."""
    first, last = lines[0].envelope, lines[-1].envelope
    told: list[Any] = [last.workspace, last.run, first.position, last.position]
    moved: list[Any] = [last.position, lines[-1].hash, last.run]
    with connection.cursor() as cursor:
        cursor.execute(_statement(len(lines)), [*told, *moved, *_values(lines)])


@cache
def _statement(number: int) -> str:
    row = f"({', '.join(['%s'] * len(COLUMNS))})"
    return WRITE.format(columns=", ".join(COLUMNS), rows=", ".join([row] * number))


def _values(lines: Sequence[Line]) -> list[Any]:
    return [value for line in lines for value in _row(line)]


def _row(line: Line) -> list[Any]:
    envelope = line.envelope
    return [
        *(envelope.workspace, envelope.run, envelope.position),
        *(line.body, line.prev_hash, line.hash),
        *(getattr(envelope, name) for name in ENVELOPE_COLUMNS),
    ]
