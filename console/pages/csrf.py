"""A form whose token is no longer good: nothing is done, and what was typed is kept."""

from __future__ import annotations

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from console.origins import is_from_own_page
from console.pages import kept
from console.pages.addresses import page_behind, page_with_what_was_typed


def failed(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001 - Django's
    address = page_behind(request)
    # Another site must not be able to give its visitors a session, or words, of ours.
    if not is_from_own_page(request) or address == "/":
        return render(request, "403_csrf.html", {"back": address}, status=403)
    kept.keep_form(request, why="stale_form")
    address = page_with_what_was_typed(request)
    return redirect(address) if request.user.is_authenticated else redirect_to_login(address)
