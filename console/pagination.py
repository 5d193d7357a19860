"""Lists newest first, in pages that stay put while new things arrive."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Annotated, Any, TypeVar
from uuid import UUID

from django.db.models import Model, QuerySet
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

MOST = 200
R = TypeVar("R", bound=Model)


def encode_cursor(last: UUID | int) -> str:
    key = last if isinstance(last, UUID) else UUID(int=last)
    return urlsafe_b64encode(key.bytes).rstrip(b"=").decode()


def decode_cursor(cursor: Any) -> UUID:  # noqa: ANN401
    try:
        last = UUID(bytes=urlsafe_b64decode(f"{cursor}=="))
    except ValueError:
        raise ValueError("not a cursor of this list") from None
    if encode_cursor(last) != cursor:
        raise ValueError("not a cursor of this list")
    return last


class Query(BaseModel):
    """Query parameters of a resource; an unknown one is refused like an unknown field."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class WaitQuery(Query):
    """Answer when the position is past `after`, or in `wait` seconds as it stands."""

    wait: Annotated[int, Field(ge=0, le=60)] = 0
    after: Annotated[int, Field(ge=0)] = 0


class PageQuery(Query):
    cursor: Annotated[
        UUID | None, BeforeValidator(decode_cursor), WithJsonSchema({"type": "string"})
    ] = None
    limit: Annotated[int, Field(ge=1, le=MOST)] = 50


def page_of(rows: QuerySet[R], query: PageQuery) -> tuple[list[R], str | None]:
    """One page, and the cursor of the next: keys grow with time, so new rows come before it."""
    if query.cursor is not None:
        # A row that is numbered takes the cursor as the number it was made of.
        rows = rows.filter(pk__lt=rows.model._meta.pk.to_python(query.cursor))  # noqa: SLF001
    found = list(rows.order_by("-pk")[: query.limit + 1])
    shown = found[: query.limit]
    return shown, encode_cursor(shown[-1].pk) if len(found) > len(shown) else None
