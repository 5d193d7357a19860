"""Every provider request, answered or not: the oracle of each test about money."""

from __future__ import annotations

import json

from runtime.sandbox.calls import Call
from runtime.sandbox.objects import Json
from runtime.sandbox.store import Store

INSERT = """
INSERT INTO journal (at, method, path, key, metadata, intent, status, moved_money)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
SELECT = "SELECT * FROM journal WHERE ? IS NULL OR intent = ? ORDER BY seq"


def record(store: Store, call: Call, *, status: int | None, moved_money: bool) -> None:
    """Part of the transaction that moves the money, so neither is ever without the other."""
    row = (
        call.at,
        call.method,
        call.path,
        call.key,
        json.dumps(call.metadata),
        call.metadata.get("intent"),
        status,
        moved_money,
    )
    store.db.execute(INSERT, row)


def entries(store: Store, intent: str | None) -> list[Json]:
    """In order of arrival; `status` is what the provider decided, null when nothing was."""
    rows = store.db.execute(SELECT, (intent, intent))
    return [
        {
            "at": row["at"],
            "method": row["method"],
            "path": row["path"],
            "key": row["key"],
            "metadata": json.loads(row["metadata"]),
            "status": row["status"],
            "moved_money": bool(row["moved_money"]),
        }
        for row in rows
    ]
