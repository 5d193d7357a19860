"""Which page a command comes from, and goes back to."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

# The page has the same arguments as the command.
PAGES: Final = {
    "decide": "approval",
    "revoke": "approval",
    "stop": "run",
    "settle": "run",
    "observe": "run",
    "send_ticket": "inbox",
}


def page_behind(request: HttpRequest) -> str:
    """Answer the page whose form was sent; the sign-in, if it was none."""
    match = request.resolver_match
    if match is None or match.url_name not in PAGES:
        return reverse("sign_in")
    return reverse(PAGES[match.url_name], kwargs=match.kwargs)


def page_with_what_was_typed(request: HttpRequest) -> str:
    return f"{page_behind(request)}?kept=1"


def back(request: HttpRequest, **query: str) -> HttpResponse:
    address = page_behind(request)
    return redirect(f"{address}?{urlencode(query)}" if query else address)
