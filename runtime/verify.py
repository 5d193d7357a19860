"""Recompute a run's chain of hashes and say where the stored log departs from it."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

from runtime.event_log import envelope_of
from runtime.event_types import GENESIS, chain
from runtime.models import Event, Run


def log_differences(run_id: UUID) -> Iterator[str]:
    """Name each break: a gap, a broken link, a changed fact, a removed tail."""
    run = Run.objects.get(pk=run_id)
    position, link = 0, GENESIS
    for row in Event.objects.filter(run=run).order_by("position").iterator():
        position += 1
        yield from _breaks(row, position, link)
        position, link = row.position, row.hash
    if (position, link) != (run.head, run.head_hash):
        yield f"run {run_id}: the log ends at {position}, the run's head says {run.head}"


def _breaks(row: Event, position: int, link: str) -> Iterator[str]:
    where = f"run {row.run_id}, position {row.position}"
    if row.position != position:
        yield f"{where}: position {position} is missing"
    if row.prev_hash != link:
        yield f"{where}: not chained to the event before it"
    if chain(row.prev_hash, envelope_of(row), row.body) != row.hash:
        yield f"{where}: {row.event_type} is not what was recorded"
