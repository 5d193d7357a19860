"""Number the outbox: each workspace's facts, one after the other, whichever relay comes first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from uuid import UUID

from django.db import connection, transaction

from runtime.models import Outbox, WorkspaceFeed

BATCH: Final = 500
# A run's facts stand in the outbox in their order: they were written under its lock.
NUMBER: Final = """
    UPDATE runtime_outbox AS waiting SET pos = %(last)s + following.number
    FROM (
        SELECT id, row_number() OVER (ORDER BY id) AS number
        FROM (
            SELECT id FROM runtime_outbox WHERE workspace_id = %(workspace)s AND pos IS NULL
            ORDER BY id LIMIT %(batch)s
        ) AS oldest
    ) AS following
    WHERE waiting.id = following.id
    RETURNING waiting.run_id, waiting.position
"""


def unnumbered() -> Iterator[UUID]:
    """Each workspace that waits: one step over the index for it, however much it has waiting."""
    waiting = Outbox.objects.filter(pos=None).order_by("workspace_id", "id")
    row = waiting.first()
    while row is not None:
        yield row.workspace_id
        row = waiting.filter(workspace_id__gt=row.workspace_id).first()


@transaction.atomic(durable=True)
def number(workspace: UUID) -> list[tuple[UUID, int]]:
    """Give a workspace's oldest rows its next numbers; answer the run and position of each.

    Under the feed's lock, so that the numbers are contiguous; a relay that finds it taken
    goes on. A row that commits late gets a late number: a cursor over numbers skips nothing.
    """
    feed = _locked(workspace)
    if feed is None:
        return []
    with connection.cursor() as cursor:
        cursor.execute(NUMBER, {"workspace": workspace, "last": feed.pos, "batch": BATCH})
        rows: list[tuple[UUID, int]] = cursor.fetchall()
    feed.pos += len(rows)
    feed.save(update_fields=["pos"])
    return rows


def _locked(workspace: UUID) -> WorkspaceFeed | None:
    feeds = WorkspaceFeed.objects.select_for_update(no_key=True, skip_locked=True)
    feed = feeds.filter(workspace_id=workspace).first()
    if feed is None:
        WorkspaceFeed.objects.bulk_create(
            [WorkspaceFeed(workspace_id=workspace)], ignore_conflicts=True
        )
        feed = feeds.filter(workspace_id=workspace).first()
    return feed
