"""Every kind of fact as programs read about it: its versions, and the JSON Schema of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from drf_spectacular.utils import extend_schema
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.base import ApiView, answer
from console.api.problems import NOT_FOUND, ProblemError
from console.catalogue import EventType, catalogue

SCHEMA_TYPE: Final = "application/schema+json"


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionView:
    """`upcast` says how it reads in the next version; null for the newest. `schema`: an address."""

    version: int
    meaning: str
    upcast: str | None
    schema: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EventTypeView:
    event_type: str
    newest: int
    writers: tuple[str, ...]
    versions: tuple[VersionView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EventTypePage:
    """All of them at once: `next` is always null."""

    items: tuple[EventTypeView, ...]
    next: None = None


class SchemaRenderer(JSONRenderer):
    media_type = SCHEMA_TYPE


@extend_schema(exclude=True)
class EventTypeCollection(ApiView):
    """Nothing in it is secret, so it asks for no token; likewise the schemas."""

    authentication_classes = []

    def get(self, request: Request) -> Response:
        items = tuple(_view(event, request.path) for event in catalogue().values())
        return answer(EventTypePage(items=items))


@extend_schema(exclude=True)
class EventSchemaResource(ApiView):
    authentication_classes = []
    renderer_classes = [SchemaRenderer, JSONRenderer]

    def get(self, _request: Request, event_type: str, version: int) -> Response:
        known = catalogue().get(event_type)
        found = [each for each in known.versions if each.number == version] if known else []
        if not found:
            raise ProblemError(NOT_FOUND)
        return Response(found[0].schema, content_type=SCHEMA_TYPE)


def _view(event: EventType, address: str) -> EventTypeView:
    return EventTypeView(
        event_type=event.name,
        newest=event.newest.number,
        writers=event.writers,
        versions=tuple(
            VersionView(
                version=each.number,
                meaning=each.meaning,
                upcast=each.upcast,
                schema=f"{address}/{event.name}/versions/{each.number}",
            )
            for each in event.versions
        ),
    )
