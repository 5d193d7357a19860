"""The contract itself: as an OpenAPI document, and as a page to read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer
from drf_spectacular.utils import extend_schema
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.base import ApiView

# The generator loads its extensions as it first runs, and breaks if two threads do that at once.
generating = Lock()


def document() -> dict[str, Any]:
    with generating:
        return _document()


@cache
def _document() -> dict[str, Any]:
    generator = SchemaGenerator()  # type: ignore[no-untyped-call]
    made: dict[str, Any] = generator.get_schema(public=True)  # type: ignore[no-untyped-call]
    return made


@extend_schema(exclude=True)
class SchemaResource(ApiView):
    """Nothing in it is secret, so it asks for no token."""

    authentication_classes = []
    renderer_classes = [JSONRenderer, OpenApiJsonRenderer]

    def get(self, _request: Request) -> Response:
        return Response(document())


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method of one path, as the page shows it."""

    method: str
    path: str
    summary: str
    parameters: tuple[dict[str, Any], ...]
    body: str | None
    answers: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """One class of bodies or answers: its fields, each with what is said about it."""

    name: str
    about: str
    fields: tuple[tuple[str, str], ...]


@extend_schema(exclude=True)
class DocsPage(ApiView):
    authentication_classes = []

    def perform_content_negotiation(
        self,
        request: Request,  # noqa: ARG002
        force: bool = False,  # noqa: ARG002, FBT001, FBT002 - DRF's signature
    ) -> tuple[JSONRenderer, str]:
        """A browser asks for HTML and gets it; a refusal stays a problem."""
        return JSONRenderer(), JSONRenderer.media_type

    def get(self, request: Request) -> HttpResponse:
        described = document()
        context = {"operations": [*_operations(described)], "shapes": [*_shapes(described)]}
        return render(request._request, "api/docs.html", context)  # noqa: SLF001


def _operations(described: dict[str, Any]) -> Iterator[Operation]:
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            body = operation.get("requestBody", {})
            yield Operation(
                method=method.upper(),
                path=path,
                summary=operation["summary"],
                parameters=tuple(operation.get("parameters", ())),
                body=_shape(body),
                answers=tuple(
                    (status, one["description"], _shape(one) or "")
                    for status, one in operation["responses"].items()
                ),
            )


def _shapes(described: dict[str, Any]) -> Iterator[Shape]:
    for name, schema in described["components"]["schemas"].items():
        fields = schema.get("properties", {}).items()
        yield Shape(
            name=name,
            about=schema.get("description", ""),
            fields=tuple((field, _kind(kind)) for field, kind in fields),
        )


def _kind(schema: dict[str, Any]) -> str:
    for said in ("description", "format", "type"):
        if said in schema:
            return str(schema[said])
    parts = schema.get("anyOf", [])
    return " or ".join(map(_kind, parts)) or schema.get("$ref", "").rpartition("/")[2]


def _shape(described: dict[str, Any]) -> str | None:
    """The name of the class a body is described by."""
    for content in described.get("content", {}).values():
        reference: str = content["schema"].get("$ref", "")
        return reference.rpartition("/")[2]
    return None
