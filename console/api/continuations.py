"""Whether a run's agent may go on: ask the gates, and read what was asked and answered before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal
from uuid import UUID

from pydantic import RootModel
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.base import ApiView, answer, found
from console.api.events import EventPage, PositionQuery
from console.api.permissions import Act, require
from console.api.runs import visible_runs
from console.api.schema import describe
from console.api.schemas import ContinuationBody
from console.reads import calls_of, event_views
from console.view_models.calls import ToldView
from runtime import session_events as s
from runtime.handlers import Granted, ask_gates
from runtime.models import Event, ToolCall

TRAIL: Final = [
    event.event_type
    for event in (
        s.SessionWriteIntended,
        s.SessionWriteClassified,
        s.SessionRepaired,
        s.ContinuationGranted,
        s.ContinuationDenied,
    )
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldOf:
    """What the agent is told about one of its calls."""

    tool_call: UUID
    intent: str
    told: ToldView


@dataclass(frozen=True, slots=True, kw_only=True)
class GateView:
    gate: s.GateName
    reason: str
    tool_call: UUID | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GrantedView:
    grant: UUID
    told: tuple[ToldOf, ...]
    granted: Literal[True] = True


@dataclass(frozen=True, slots=True, kw_only=True)
class DeniedView:
    gates: tuple[GateView, ...]
    granted: Literal[False] = False


class ContinuationView(RootModel[GrantedView | DeniedView]):
    """Granted with what the agent is told, or denied with every gate that stays shut."""


class ContinuationCollection(ApiView):
    @describe(
        "ask_gates",
        "Ask whether the agent may go on; what is told is what became of its calls since",
        body=ContinuationBody,
        answers={200: ContinuationView},
        problems={403: "not_authorized", 404: "not_found"},
    )
    def post(self, _request: Request, run_id: UUID) -> Response:
        run = found(visible_runs(self.caller), run_id)
        require(self.caller, Act.WORK)
        if self.raw:
            self.body(ContinuationBody)
        match ask_gates(self.caller.actor, run.pk):
            case Granted(grant=grant, since=since):
                view = GrantedView(grant=grant, told=_told(run.pk, since))
                return answer(ContinuationView(view))
            case denied:
                return answer(ContinuationView(DeniedView(gates=tuple(map(_gate, denied.gates)))))

    @describe(
        "list_continuations",
        "What was meant, seen, classified, granted and denied, oldest first",
        query=PositionQuery,
        answers={200: EventPage},
        problems={404: "not_found"},
    )
    def get(self, _request: Request, run_id: UUID) -> Response:
        run = found(visible_runs(self.caller), run_id)
        query = self.query(PositionQuery)
        rows = Event.objects.filter(run=run, event_type__in=TRAIL).filter(
            position__gt=query.after, position__lte=run.head
        )
        shown = event_views(rows.order_by("position")[: query.limit], workspace=run.workspace.slug)
        return answer(EventPage(events=tuple(shown), head=run.head))


def _told(run_id: UUID, since: int) -> tuple[ToldOf, ...]:
    """The calls of which something was recorded since the last grant that the agent heard."""
    moved = Event.objects.filter(run=run_id, position__gt=since).exclude(tool_call_id=None)
    calls = ToolCall.objects.filter(run=run_id, pk__in=moved.values("tool_call_id"))
    views = calls_of(list(calls.order_by("pk")), masked=False)
    return tuple(ToldOf(tool_call=view.id, intent=view.intent, told=view.told) for view in views)


def _gate(objection: s.Objection) -> GateView:
    return GateView(gate=objection.gate, reason=objection.reason, tool_call=objection.tool_call)
