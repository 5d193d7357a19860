"""What people said about calls, read from the log: who, when, why, and on what evidence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from approvals.events import SettlementRequested
from console.reads.effects import evidence_of, evidence_texts
from console.reads.lookup import Texts, actors_of
from console.view_models.calls import StatementView
from console.view_models.sentences import VALUES
from runtime.event_types import newest
from runtime.events import OutcomeObserved, ToolCallSettled
from runtime.models import Event, ToolCall
from runtime.states import SettledAs

TYPES: Final = [cls.event_type for cls in (SettlementRequested, ToolCallSettled, OutcomeObserved)]
Ids = Mapping[str, str | None]


def statements_of(
    calls: Sequence[ToolCall], *, masked: bool
) -> dict[UUID, tuple[StatementView, ...]]:
    """Answer what was said about each call, oldest first, in three queries for all of them."""
    rows = Event.objects.filter(
        run__in={call.run_id for call in calls},
        tool_call_id__in=[call.pk for call in calls],
        event_type__in=TYPES,
    )
    # What a second admin agreed to was said when they were asked.
    facts = [
        (row, payload)
        for row in rows.order_by("position")
        if (payload := _newest(row)).get("confirmed_by") is None
    ]
    names = actors_of(payload["by"] for _, payload in facts)
    texts = Texts([each for _, payload in facts for each in _texts(payload)], masked=masked)
    found: defaultdict[UUID, list[StatementView]] = defaultdict(list)
    for row, payload in facts:
        if row.tool_call_id is not None:
            said = _statement(row, payload, names[payload["by"]], texts)
            found[row.tool_call_id].append(said)
    return {call_id: tuple(said) for call_id, said in found.items()}


def _newest(row: Event) -> dict[str, Any]:
    return newest(row.event_type, row.schema_version, row.body)


def _statement(row: Event, payload: Mapping[str, Any], by: str, texts: Texts) -> StatementView:
    what = payload.get("outcome") or payload.get("status") or SettledAs.COMPLETED
    return StatementView(
        by=by,
        sentence=VALUES[what],
        at=row.occurred_at,
        reason=texts.say(_reason(payload)),
        evidence=evidence_of(map(_ids, payload["evidence"]), texts),
        approval=row.approval_id,
    )


def _texts(payload: Mapping[str, Any]) -> Iterator[UUID | None]:
    yield _reason(payload)
    yield from evidence_texts(map(_ids, payload["evidence"]))


def _reason(payload: Mapping[str, Any]) -> UUID | None:
    return UUID(payload["reason"]["id"]) if "reason" in payload else None


def _ids(piece: Mapping[str, Mapping[str, str] | None]) -> Ids:
    return {name: ref["id"] if ref else None for name, ref in piece.items()}
