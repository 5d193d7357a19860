"""Give every request an id, and say once how it was answered: no body, no query, no names."""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable
from typing import Final, cast

import structlog
from asgiref.sync import iscoroutinefunction
from django.http import HttpRequest, HttpResponse
from django.utils.decorators import sync_and_async_middleware
from structlog.contextvars import bound_contextvars

from runtime.ids import new_id

logger = structlog.get_logger(__name__)
HEADER: Final = "X-Request-ID"
# What a proxy in front of us called it, if that is safe to write down and send back.
GIVEN: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")


@sync_and_async_middleware
def logged(
    get_response: Callable[[HttpRequest], HttpResponse | Awaitable[HttpResponse]],
) -> Callable[[HttpRequest], HttpResponse | Awaitable[HttpResponse]]:
    if iscoroutinefunction(get_response):

        async def answer_later(request: HttpRequest) -> HttpResponse:
            request_id, started = _request_id(request), time.monotonic()
            with bound_contextvars(request_id=request_id):
                response: HttpResponse = await get_response(request)
                return _said(request, response, request_id, started)

        return answer_later

    def answer(request: HttpRequest) -> HttpResponse:
        request_id, started = _request_id(request), time.monotonic()
        with bound_contextvars(request_id=request_id):
            response = cast(HttpResponse, get_response(request))
            return _said(request, response, request_id, started)

    return answer


def _request_id(request: HttpRequest) -> str:
    given = request.headers.get(HEADER, "")
    return given if GIVEN.fullmatch(given) else new_id().hex


def _said(
    request: HttpRequest, response: HttpResponse, request_id: str, started: float
) -> HttpResponse:
    """Name the route, never the path: what people search for and are called stands in paths."""
    match = request.resolver_match
    logger.info(
        "answered",
        method=request.method,
        route=match.route if match else None,
        status=response.status_code,
        ms=round((time.monotonic() - started) * 1000, 1),
    )
    response.headers[HEADER] = request_id
    return response
