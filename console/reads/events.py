"""The log as programs page through it, and as a person reads it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from console.reads.lookup import actors_of, names_of
from console.view_models.events import EventView, FeedEventView, TimelineLine, timeline_line
from console.view_models.money import money_view
from runtime.errors import UnreadableLogError
from runtime.event_rows import ENVELOPE_COLUMNS
from runtime.event_types import newest
from runtime.models import Event, Outbox, Run, ToolCall

NOT_SHOWN = {"recorded_at"}
SHOWN = [name for name in ENVELOPE_COLUMNS if name not in NOT_SHOWN]
# Payload fields that hold a person's id.
PEOPLE = ("person", "account", "initiator", "ticket_author")


def event_views(rows: Iterable[Event], *, workspace: str) -> list[EventView]:
    """Answer events as they are stored, whichever version, so that their hashes can be checked.

    Personal text is never in them.
    """
    return [EventView(**_fields(row, workspace)) for row in rows]


def feed_views(numbered: Iterable[Outbox], *, workspace: str) -> list[FeedEventView]:
    return [
        FeedEventView(pos=row.pos, **_fields(row.event, workspace))
        for row in numbered
        if row.pos is not None
    ]


def timeline(
    run: Run, *, workspace: str, most: int = 500, before: int | None = None
) -> list[TimelineLine]:
    """Answer the newest facts of a run (before a position) as sentences, oldest first.

    What came after the run's row was read is left to the next reading.
    """
    facts = Event.objects.filter(run=run, position__lte=run.head)
    if before is not None:
        facts = facts.filter(position__lt=before)
    rows = list(facts.order_by("-position")[:most])[::-1]
    said = [_newest(row) for row in rows]
    names = _names(run, rows, [payload for payload in said if isinstance(payload, dict)])
    shown: dict[UUID | None, int] = {row.event_id: row.position for row in rows}
    return [
        timeline_line(
            EventView(**_fields(row, workspace)),
            payload,
            names,
            because_of=shown.get(row.causation_id),
        )
        for row, payload in zip(rows, said, strict=True)
    ]


def _newest(row: Event) -> dict[str, Any] | str:
    """What a fact says, whichever version of it is stored; or why it cannot be read."""
    try:
        return newest(row.event_type, row.schema_version, row.body)
    except UnreadableLogError as error:
        return str(error)


def _fields(row: Event, workspace: str) -> dict[str, Any]:
    return {name: getattr(row, name) for name in SHOWN} | {
        "workspace": workspace,
        "run": row.run_id,
        "position": row.position,
        "payload": json.loads(row.body),
        "prev_hash": row.prev_hash,
        "hash": row.hash,
    }


def _names(run: Run, rows: Sequence[Event], payloads: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Map every id and actor in these facts to what people call it."""
    people = {payload.get(field) for payload in payloads for field in PEOPLE}
    names = {
        str(key): name for key, name in names_of(UUID(each) for each in people if each).items()
    }
    names |= actors_of([*(row.actor for row in rows), *(each.get("by") for each in payloads)])
    calls = list(ToolCall.objects.filter(run=run))
    if len(calls) > 1:
        names |= {str(call.pk): _about(call) for call in calls}
    return names


def _about(call: ToolCall) -> str:
    return f"{money_view(call.amount_minor, call.currency).display} to {call.target}"
