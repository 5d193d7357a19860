"""The OpenAPI document: bodies and answers described by the classes that read and write them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, is_dataclass
from typing import Any, Final, TypeVar

from drf_spectacular.drainage import set_override
from drf_spectacular.extensions import OpenApiAuthenticationExtension, OpenApiSerializerExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent, get_class
from drf_spectacular.utils import Direction, OpenApiParameter, OpenApiResponse, extend_schema
from pydantic import BaseModel, TypeAdapter

from console.api.problems import MEDIA_TYPE

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldError:
    field: str
    detail: str


class Problem(BaseModel, extra="allow"):
    """RFC 9457. Some codes bring fields of their own, as `docs/api.md` says.

    `status` is the answer's, except where a code brings the status of an approval.
    """

    type: str
    title: str
    status: int | str
    code: str
    detail: str
    errors: list[FieldError] = []
    replayed: bool = False


GENERAL: Final[Mapping[int, str]] = {
    401: "unauthenticated",
    406: "not_acceptable",
    408: "request_timeout",
    413: "too_large, event_too_large",
    500: "internal",
    503: "unavailable, log_unreadable",
}
WITH_BODY: Final[Mapping[int, str]] = {
    400: "malformed",
    415: "unsupported_media_type",
    422: "invalid",
}


def describe(  # noqa: PLR0913 - what an operation says about itself
    operation: str,
    summary: str,
    *,
    body: type[BaseModel] | None = None,
    query: type[BaseModel] | None = None,
    headers: Mapping[str, str] | None = None,
    answers: Mapping[int, Any],
    problems: Mapping[int, str] | None = None,
) -> Callable[[F], F]:
    """Describe a method; `problems` maps a status to the codes it comes with."""
    refused = {**GENERAL, **(WITH_BODY if body else {}), **({422: "invalid"} if query else {})}
    for status, codes in (problems or {}).items():
        refused |= {status: ", ".join(filter(None, [refused.get(status), codes]))}
    return extend_schema(
        operation_id=operation,
        summary=summary,
        request=body,
        parameters=[*_query(query), *_headers(headers or {})],
        responses={
            **{status: OpenApiResponse(shape, _title(status)) for status, shape in answers.items()},
            **{(s, MEDIA_TYPE): OpenApiResponse(Problem, refused[s]) for s in sorted(refused)},
        },
    )


def _title(status: int) -> str:
    return {200: "as it stands", 201: "made", 202: "asked", 204: "gone"}[status]


def _query(model: type[BaseModel] | None) -> list[OpenApiParameter]:
    if model is None:
        return []
    schema = model.model_json_schema()
    return [
        OpenApiParameter(name, _inlined(field, schema.get("$defs", {})), OpenApiParameter.QUERY)
        for name, field in schema["properties"].items()
    ]


def _inlined(schema: Any, parts: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """Parameters stand outside the components that references point into."""
    match schema:
        case {"$ref": str(name)}:
            return parts[name.rpartition("/")[2]]
        case dict():
            return {key: _inlined(value, parts) for key, value in schema.items()}
        case list():
            return [_inlined(value, parts) for value in schema]
        case _:
            return schema


def _headers(headers: Mapping[str, str]) -> list[OpenApiParameter]:
    return [
        OpenApiParameter(name, str, OpenApiParameter.HEADER, description=description)
        for name, description in headers.items()
    ]


class ShapeExtension(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """Describe pydantic models and dataclasses by what is read, or what is written."""

    target_class = "pydantic.BaseModel"
    priority = 1

    @classmethod
    def _matches(cls, target: Any) -> bool:  # noqa: ANN401
        kind = get_class(target)
        return is_dataclass(kind) or issubclass(kind, BaseModel)

    def get_name(self, auto_schema: AutoSchema, direction: Direction) -> str | None:  # noqa: ARG002
        # A nested definition of the same class may have come first, under the same name.
        set_override(self.target, "suppress_collision_warning", value=True)
        name: str = self.target.__name__
        return name

    def map_serializer(self, auto_schema: AutoSchema, direction: Direction) -> dict[str, Any]:
        schema = TypeAdapter(self.target).json_schema(
            ref_template="#/components/schemas/{model}",
            mode="validation" if direction == "request" else "serialization",
        )
        for name, part in schema.pop("$defs", {}).items():
            component = ResolvedComponent(  # type: ignore[no-untyped-call]
                name, ResolvedComponent.SCHEMA, part, name
            )
            auto_schema.registry.register_on_missing(component)
        return schema


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "console.api.authentication.BearerAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, str]:  # noqa: ARG002
        return {"type": "http", "scheme": "bearer"}
