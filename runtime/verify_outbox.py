"""Say where the outbox departs from the log that it announces: a row for each fact, in order."""

from __future__ import annotations

from typing import Any, Final

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper

UNANNOUNCED: Final = """
    SELECT coalesce(e.run_id, o.run_id), coalesce(e.position, o.position),
        CASE WHEN o.id IS NULL THEN 'the outbox does not have it'
            WHEN e.event_id IS NULL THEN 'the outbox has it, the log does not'
            ELSE 'the outbox has it in another workspace' END
    FROM runtime_event e
    FULL JOIN runtime_outbox o ON o.run_id = e.run_id AND o.position = e.position
    WHERE o.id IS NULL OR e.event_id IS NULL OR o.workspace_id <> e.workspace_id
    ORDER BY 1, 2
"""
OUT_OF_ORDER: Final = """
    SELECT run_id, position, 'numbered before a fact that it follows'
    FROM (
        SELECT run_id, position, pos,
            lag(pos) OVER (PARTITION BY run_id ORDER BY position) AS before,
            lag(position) OVER (PARTITION BY run_id ORDER BY position) AS one_before
        FROM runtime_outbox
    ) AS numbered
    WHERE one_before IS NOT NULL AND pos IS NOT NULL AND (before IS NULL OR before > pos)
    ORDER BY 1, 2
"""
MISCOUNTED: Final = """
    SELECT coalesce(f.workspace_id, o.workspace_id), coalesce(f.pos, 0),
        coalesce(o.numbered, 0), coalesce(o.last, 0)
    FROM runtime_workspacefeed f
    FULL JOIN (
        SELECT workspace_id, count(pos) AS numbered, max(pos) AS last
        FROM runtime_outbox GROUP BY workspace_id
    ) AS o USING (workspace_id)
    WHERE coalesce(f.pos, 0) <> coalesce(o.numbered, 0) OR coalesce(f.pos, 0) <> coalesce(o.last, 0)
    ORDER BY 1
"""


@transaction.atomic
def outbox_differences() -> list[str]:
    """Name each fact that is announced wrongly, and each workspace whose numbers have a hole."""
    with connection.cursor() as cursor:
        # Each question is one pass over all there is.
        cursor.execute("SET LOCAL statement_timeout = 0")
        facts = [row for each in (UNANNOUNCED, OUT_OF_ORDER) for row in _rows(cursor, each)]
        feeds = _rows(cursor, MISCOUNTED)
    return [
        *(f"run {run}, position {position}: {what}" for run, position, what in facts),
        *(
            f"workspace {workspace}: {numbered} facts are numbered up to {last}, not to {pos}"
            for workspace, pos, numbered, last in feeds
        ),
    ]


def _rows(cursor: CursorWrapper, question: str) -> list[tuple[Any, ...]]:
    cursor.execute(question)
    rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows
