"""What every resource shares: who calls, what they sent, and how the answer is written."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar, cast
from uuid import UUID

from django.db.models import Model, QuerySet
from pydantic import BaseModel, TypeAdapter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from console.api.authentication import Caller
from console.api.parsing import MOST_BYTES, parse_body, parse_query, read_body
from console.api.problems import NOT_FOUND, ProblemError, problem
from runtime.commands import Refusal

M = TypeVar("M", bound=BaseModel)
R = TypeVar("R", bound=Model)
T = TypeVar("T")


class ApiView(APIView):
    """Sizes are checked before anything is looked up, contents after the caller's rights."""

    http_method_names = ["get", "post", "put", "patch", "delete", "head"]
    most_bytes = MOST_BYTES
    raw: bytes

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401
        super().initial(request, *args, **kwargs)
        # DRF itself trusts Content-Length.
        self.raw = read_body(request._request, self.most_bytes)  # noqa: SLF001

    @property
    def caller(self) -> Caller:
        return cast(Caller, self.request.auth)

    def body(self, model: type[M]) -> M:
        return parse_body(model, self.request._request, self.raw)  # noqa: SLF001

    def query(self, model: type[M]) -> M:
        return parse_query(model, self.request.query_params)


class NothingHere(ApiView):
    """Whatever no resource answers to."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401
        super().initial(request, *args, **kwargs)
        raise ProblemError(NOT_FOUND)


def found(rows: QuerySet[R], key: UUID) -> R:
    """The row, or the answer that says as little about what is hidden as about what is not."""
    row = rows.filter(pk=key).first()
    if row is None:
        raise ProblemError(NOT_FOUND)
    return row


def answer(view: Any, status: int = 200) -> Response:  # noqa: ANN401 - any view model
    adapter = _adapter(type(view))  # type: ignore[arg-type]  # classes are hashable
    return Response(adapter.dump_python(view, mode="json"), status=status)


def answer_or_problem(outcome: T | Refusal, view: Callable[[T], Any]) -> Response:
    if isinstance(outcome, Refusal):
        return problem(outcome)
    return answer(view(outcome))


@cache
def _adapter(kind: type[Any]) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
