"""Every refusal as `application/problem+json` (RFC 9457), with a stable code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from itertools import islice
from typing import Any, Final

import structlog
from django.db import IntegrityError, InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views import defaults
from rest_framework import exceptions
from rest_framework.response import Response

from approvals.errors import NotPossibleError
from runtime.commands import Refusal, log_unreadable
from runtime.constraints import broken_rule
from runtime.errors import EventTooLargeError, UnreadableLogError

logger = structlog.get_logger(__name__)
MEDIA_TYPE: Final = "application/problem+json"
MOST_ERRORS = 20
LONGEST_FIELD = 200


class ProblemError(Exception):
    """The request is refused; the refusal is the answer."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.code)
        self.refusal = refusal


def refusal(http_status: int, code: str, detail: str) -> Refusal:
    return Refusal(http_status=http_status, code=code, detail=detail)


UNAUTHENTICATED: Final = refusal(401, "unauthenticated", "A valid bearer token is needed.")
NOT_AUTHORIZED: Final = refusal(403, "not_authorized", "Your role or token does not allow this.")
NOT_FOUND: Final = refusal(404, "not_found", "There is nothing here.")
UNREADABLE: Final = refusal(400, "malformed", "The request cannot be read as one to this host.")
MALFORMED: Final = refusal(400, "malformed", "The body is not JSON.")
UNAVAILABLE: Final = refusal(503, "unavailable", "The database does not answer. Try again.")
INTERNAL: Final = refusal(500, "internal", "Something went wrong on our side.")

GENERAL: Final[Mapping[type[Exception], Refusal]] = {
    exceptions.NotAuthenticated: UNAUTHENTICATED,
    exceptions.AuthenticationFailed: UNAUTHENTICATED,
    exceptions.MethodNotAllowed: refusal(405, "method_not_allowed", "Not by this method."),
    exceptions.NotAcceptable: refusal(406, "not_acceptable", "Answers are application/json."),
    Http404: NOT_FOUND,
    OperationalError: UNAVAILABLE,
    InterfaceError: UNAVAILABLE,
}


def invalid(errors: Iterable[tuple[str, str]]) -> ProblemError:
    """Name what is wrong with each field; of very many, the first twenty."""
    named = [
        {"field": _legible(field), "detail": detail}
        for field, detail in islice(errors, MOST_ERRORS)
    ]
    return ProblemError(
        Refusal(
            http_status=422,
            code="invalid",
            detail="Some fields are not valid.",
            extra={"errors": named},
        )
    )


def not_possible(error: NotPossibleError) -> ProblemError:
    return invalid([(error.field, str(error))])


def event_too_large(error: EventTooLargeError) -> Refusal:
    """Where large content belongs is said, for whoever wrote what was too much."""
    return Refusal(
        http_status=413,
        code="event_too_large",
        detail=f"{error} Nothing was recorded; what is large is sent as an artifact's content.",
        extra={"event_type": error.event_type, "bytes": error.size, "most": error.most},
    )


def problem(refused: Refusal, *, headers: Mapping[str, str] | None = None) -> Response:
    return Response(
        body_of(refused),
        status=refused.http_status,
        headers=dict(headers or {}),
        content_type=MEDIA_TYPE,
    )


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer what no view came to see, such as a foreign Host, each door in its own form."""
    if not request.path.startswith("/api/"):
        return defaults.bad_request(request, exception)
    return JsonResponse(body_of(UNREADABLE), status=400, content_type=MEDIA_TYPE)


def body_of(refused: Refusal) -> dict[str, Any]:
    body: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(refused.http_status).phrase,
        "status": refused.http_status,
        "code": refused.code,
        "detail": refused.detail,
    }
    return body | refused.extra


def answer_for(error: Exception, _context: Mapping[str, Any]) -> Response:
    """Answer whatever a view raised; what nobody expected is logged and says nothing."""
    if isinstance(error, ProblemError):
        return problem(error.refusal)
    if isinstance(error, UnreadableLogError):
        return problem(log_unreadable(error))
    if isinstance(error, EventTooLargeError):
        return problem(event_too_large(error))
    for kind, refused in GENERAL.items():
        if isinstance(error, kind):
            return problem(refused, headers=_headers(error))
    rule = broken_rule(error) if isinstance(error, IntegrityError) else None
    logger.error("unexpected error in the API", rule=rule, exc_info=error)
    return problem(INTERNAL)


def _headers(error: Exception) -> dict[str, str]:
    challenge = getattr(error, "auth_header", None)
    return {"WWW-Authenticate": challenge} if challenge else {}


def _legible(field: str) -> str:
    """A field's name as text that any answer can carry."""
    return field[:LONGEST_FIELD].encode("utf-8", "backslashreplace").decode()
