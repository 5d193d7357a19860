"""Events without a cause where they need one: what no history may hold."""

from __future__ import annotations

from runtime.causation import ROOTS
from runtime.models import Event, Receipt, Run


def unexplained(run: Run) -> list[tuple[int, str]]:
    """Events that name no earlier event of their run, and stand for nobody's will either."""
    rows = list(Event.objects.filter(run=run).order_by("position"))
    at = {row.event_id: row.position for row in rows}
    commanded = _commanded(run)
    return [
        (row.position, row.event_type)
        for row in rows
        if not (
            row.position in commanded
            if row.event_type in ROOTS
            else row.causation_id in at and at[row.causation_id] < row.position
        )
    ]


def _commanded(run: Run) -> set[int]:
    """Where somebody's commands to the run are told of; the first is to start it."""
    receipts = Receipt.objects.filter(target=run.pk)
    return {1}.union(*receipts.values_list("event_positions", flat=True))
