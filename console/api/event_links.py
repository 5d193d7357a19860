"""One event: what it says, what it came of, and what came of it."""

from __future__ import annotations

from uuid import UUID

from django.db.models import QuerySet
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.authentication import Caller
from console.api.base import ApiView, answer, found
from console.api.events import EventPage, PositionQuery
from console.api.runs import visible_runs
from console.api.schema import describe
from console.pagination import MOST
from console.reads import causes_of, effects_of, event_views
from console.view_models.causes import CausesView
from console.view_models.events import EventView
from runtime.models import Event


def visible_events(caller: Caller) -> QuerySet[Event]:
    """Whoever may read a run may read every event of it."""
    rows = Event.objects.select_related("run", "workspace")
    return rows.filter(run__in=visible_runs(caller))


class EventResource(ApiView):
    @describe("read_event", "One event", answers={200: EventView}, problems={404: "not_found"})
    def get(self, _request: Request, event_id: UUID) -> Response:
        row = found(visible_events(self.caller), event_id)
        (view,) = event_views([row], workspace=row.workspace.slug)
        return answer(view)


class CauseCollection(ApiView):
    @describe(
        "list_causes",
        "The event and what it came of, up to where it began",
        answers={200: CausesView},
        problems={404: "not_found"},
    )
    def get(self, _request: Request, event_id: UUID) -> Response:
        row = found(visible_events(self.caller), event_id)
        return answer(causes_of(row, workspace=row.workspace.slug, most=MOST))


class EffectCollection(ApiView):
    @describe(
        "list_effects",
        "Everything that came of the event, oldest first",
        query=PositionQuery,
        answers={200: EventPage},
        problems={404: "not_found"},
    )
    def get(self, _request: Request, event_id: UUID) -> Response:
        row = found(visible_events(self.caller), event_id)
        query = self.query(PositionQuery)
        came = effects_of(row).filter(position__gt=query.after, position__lte=row.run.head)
        views = event_views(came[: query.limit], workspace=row.workspace.slug)
        return answer(EventPage(events=tuple(views), head=row.run.head))
