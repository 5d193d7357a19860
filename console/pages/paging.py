"""Long lists in pages that stay put: the cursor names the last row that was shown."""

from __future__ import annotations

from typing import TypeVar

from django.db.models import Model, Q, QuerySet
from django.http import Http404
from pydantic import ValidationError

from approvals.models import Approval
from console.pagination import PageQuery, encode_cursor, page_of

R = TypeVar("R", bound=Model)


def newest(rows: QuerySet[R], cursor: str | None) -> tuple[list[R], str | None]:
    return page_of(rows, _query(cursor))


def most_urgent(rows: QuerySet[Approval], cursor: str | None) -> tuple[list[Approval], str | None]:
    """Page through questions by the time left for each."""
    query = _query(cursor)
    if query.cursor is not None:
        last = Approval.objects.filter(pk=query.cursor).first()
        if last is None:
            raise Http404
        rows = rows.filter(
            Q(decide_by__gt=last.decide_by) | Q(decide_by=last.decide_by, pk__gt=last.pk)
        )
    found = list(rows.order_by("decide_by", "pk")[: query.limit + 1])
    shown = found[: query.limit]
    return shown, encode_cursor(shown[-1].pk) if len(found) > len(shown) else None


def _query(cursor: str | None) -> PageQuery:
    try:
        return PageQuery.model_validate({"cursor": cursor} if cursor else {})
    except ValidationError:
        raise Http404 from None
