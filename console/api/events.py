"""A run's log, in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any
from uuid import UUID

from pydantic import BeforeValidator, Field
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.base import ApiView, answer, found
from console.api.runs import visible_runs
from console.api.schema import describe
from console.pagination import MOST, Query
from console.reads import event_views
from console.view_models.events import EventView
from runtime.models import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class EventPage:
    """`head` is the run's last position when this was read."""

    events: tuple[EventView, ...]
    head: int


def _several(value: Any) -> Any:  # noqa: ANN401
    return [value] if isinstance(value, str) else value


class PositionQuery(Query):
    after: Annotated[int, Field(ge=0, le=2**53 - 1)] = 0
    limit: Annotated[int, Field(ge=1, le=MOST)] = MOST


class EventQuery(PositionQuery):
    """`type` may be given several times."""

    type: Annotated[tuple[str, ...], BeforeValidator(_several)] = ()


class EventCollection(ApiView):
    @describe(
        "list_events",
        "Facts of a run, oldest first",
        query=EventQuery,
        answers={200: EventPage},
        problems={404: "not_found"},
    )
    def get(self, _request: Request, run_id: UUID) -> Response:
        run = found(visible_runs(self.caller), run_id)
        query = self.query(EventQuery)
        # Up to the head that is answered: a fact appended meanwhile comes with the next page.
        rows = Event.objects.filter(run=run, position__gt=query.after, position__lte=run.head)
        if query.type:
            rows = rows.filter(event_type__in=query.type)
        shown = event_views(rows.order_by("position")[: query.limit], workspace=run.workspace.slug)
        return answer(EventPage(events=tuple(shown), head=run.head))
