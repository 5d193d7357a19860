"""Every address and form is read as UTF-8, whatever encoding a request claims."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from asgiref.sync import iscoroutinefunction
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.utils.decorators import sync_and_async_middleware

FORMS: Final = {"multipart/form-data", "application/x-www-form-urlencoded"}


@sync_and_async_middleware
def in_utf_8(
    get_response: Callable[[HttpRequest], HttpResponse | Awaitable[HttpResponse]],
) -> Callable[[HttpRequest], HttpResponse | Awaitable[HttpResponse]]:
    """Some encodings fail to decode, others make text that no database keeps."""
    if iscoroutinefunction(get_response):

        async def answer_later(request: HttpRequest) -> HttpResponse:
            _settle(request)
            response: HttpResponse = await get_response(request)
            return response

        return answer_later

    def answer(request: HttpRequest) -> HttpResponse | Awaitable[HttpResponse]:
        _settle(request)
        return get_response(request)

    return answer


def _settle(request: HttpRequest) -> None:
    claimed = request.encoding or "utf-8"
    request.encoding = "utf-8"
    if request.content_type in FORMS and claimed.lower() not in {"utf-8", "utf8"}:
        raise BadRequest("Forms are sent in UTF-8.")
