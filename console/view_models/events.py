"""One fact of the log, as programs get it and as a line of the timeline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from console.view_models.sentences import timeline_sentence
from console.view_models.words import Tone


@dataclass(frozen=True, slots=True, kw_only=True)
class EventView:
    event_id: UUID
    workspace: str
    run: UUID
    position: int
    event_type: str
    schema_version: int
    producer: str
    actor: str
    turn_id: str | None
    reasoning_object_id: UUID | None
    capability_id: str | None
    policy_decision_id: UUID | None
    approval_id: UUID | None
    tool_call_id: UUID | None
    attempt_id: UUID | None
    artifact_id: UUID | None
    feedback_id: UUID | None
    correlation_id: str
    causation_id: UUID | None
    occurred_at: datetime
    payload: Mapping[str, Any]
    prev_hash: str
    hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedEventView(EventView):
    """A fact with its number in the workspace."""

    pos: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineLine:
    """A fact in a sentence; `about` names the call where a run has several. Page only.

    `because_of`: where on the same page the fact stands that led to it.
    """

    position: int
    at: datetime
    sentence: str
    about: str
    actor: str
    event_type: str
    tone: Tone
    because_of: int | None


TONES: Final[Mapping[str, Tone]] = {
    "approval.requested": Tone.ASK,
    "approval.settlement_requested": Tone.ASK,
    "approval.granted": Tone.GO,
    "approval.rejected": Tone.STOP,
    "approval.revoked": Tone.STOP,
    "approval.expired": Tone.STOP,
    "approval.invalidated": Tone.STOP,
    "tool.call.refused": Tone.STOP,
    "tool.call.failed": Tone.STOP,
    "tool.call.dispatching": Tone.GO,
    "tool.call.result_unknown": Tone.DOUBT,
    "tool.call.reconciling": Tone.DOUBT,
    "tool.call.handed_off": Tone.ASK,
    "outcome.confirmed_success": Tone.DONE,
    "outcome.confirmed_failure": Tone.STOP,
    "outcome.inconclusive": Tone.DOUBT,
    "case.opened": Tone.ASK,
    "run.stop_requested": Tone.STOP,
    "session.repaired": Tone.GO,
    "continuation.denied": Tone.DOUBT,
}


def timeline_line(
    event: EventView,
    said: Mapping[str, Any] | str,
    names: Mapping[str, str],
    *,
    because_of: int | None,
) -> TimelineLine:
    """`said`: the payload in its newest version, or why it cannot be read.

    `names` also maps call ids to their effect and actors to people.
    """
    if isinstance(said, str):
        sentence, tone = said, Tone.DOUBT
    else:
        sentence = timeline_sentence(event.event_type, said, names)
        tone = TONES.get(event.event_type, Tone.QUIET)
    return TimelineLine(
        position=event.position,
        at=event.occurred_at,
        sentence=sentence,
        about=names.get(str(event.tool_call_id), "") if event.tool_call_id else "",
        actor=names.get(event.actor, event.actor),
        event_type=event.event_type,
        tone=tone,
        because_of=because_of,
    )
