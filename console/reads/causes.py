"""What an event came of, and what came of it: the chain up and the tree down, from the log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from django.db.models import QuerySet
from django.db.models.expressions import RawSQL

from console.reads.events import event_views
from console.view_models.causes import CausesView, CauseView, CommandView
from runtime.causation import ROOTS
from runtime.models import Event, Receipt

CHAIN: Final = """
WITH RECURSIVE chain (event_id, causation_id) AS (
    SELECT event_id, causation_id FROM runtime_event WHERE event_id = %s
    UNION ALL
    SELECT cause.event_id, cause.causation_id
    FROM runtime_event AS cause JOIN chain ON cause.event_id = chain.causation_id
) SELECT event_id FROM chain
"""
TREE: Final = """
WITH RECURSIVE tree (event_id) AS (
    SELECT event_id FROM runtime_event WHERE causation_id = %s
    UNION ALL
    SELECT effect.event_id
    FROM runtime_event AS effect JOIN tree ON effect.causation_id = tree.event_id
) SELECT event_id FROM tree
"""


def causes_of(event: Event, *, workspace: str, most: int) -> CausesView:
    """Follow an event up: an event's cause stands before it in the log of the same run."""
    rows = list(_related(CHAIN, event).order_by("-position")[:most])
    commands = _commands(rows)
    views = event_views(rows, workspace=workspace)
    items = (CauseView(event=view, command=commands.get(view.position)) for view in views)
    return CausesView(items=tuple(items), is_whole=rows[-1].event_type in ROOTS)


def effects_of(event: Event) -> QuerySet[Event]:
    """Answer everything that came of an event, by whichever way, in the order of the log."""
    return _related(TREE, event).order_by("position")


def _related(query: str, event: Event) -> QuerySet[Event]:
    return Event.objects.filter(run=event.run_id, pk__in=RawSQL(query, [event.pk]))  # noqa: S611


def _commands(rows: Sequence[Event]) -> dict[int, CommandView]:
    """The commands that led to any of these events of one run, by position."""
    named = (key for row in rows for key in (row.run_id, row.tool_call_id, row.approval_id))
    about = {key for key in named if key is not None}
    receipts = Receipt.objects.filter(target__in=about, status="applied")
    return {
        position: CommandView(
            command_id=receipt.command_id,
            kind=receipt.kind,
            actor=f"person:{receipt.actor_id}",
            http_status=receipt.http_status,
        )
        for receipt in receipts
        for position in receipt.event_positions
    }
