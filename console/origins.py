"""Whether a request comes from a page of ours, by the rule that Django holds forms to."""

from __future__ import annotations

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest


def is_from_own_page(request: HttpRequest) -> bool:
    """A browser names the page that sends something; what names none is no browser."""
    try:
        own = f"{request.scheme}://{request.get_host()}"
    except DisallowedHost:
        return False
    return request.headers.get("Origin") in {own, *settings.CSRF_TRUSTED_ORIGINS}
