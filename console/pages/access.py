"""Who may open a page: members of its workspace who are people; everybody else finds nothing."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from structlog.contextvars import bind_contextvars

from approvals.states import Role
from console.members import Member, member
from console.pages import kept
from console.pages.addresses import page_with_what_was_typed
from console.pages.answers import answered
from console.readings import USER_VIEW
from runtime.commands import Refused, log_unreadable
from runtime.errors import UnreadableLogError

P = ParamSpec("P")
MemberView = Callable[Concatenate[HttpRequest, Member, P], HttpResponse]
View = Callable[..., HttpResponse]


def page(view: MemberView[P]) -> View:
    """Show a page to any member; a stranger's way back to it survives the sign-in."""

    @wraps(view)
    @never_cache
    @require_safe
    def guarded(request: HttpRequest, slug: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        return view(request, _member(request, slug), *args, **kwargs)

    return guarded


def command(*roles: Role) -> Callable[[MemberView[P]], View]:
    """Take a command from members in one of these roles; what a stranger typed is kept."""

    def decorate(view: MemberView[P]) -> View:
        @wraps(view)
        @never_cache
        @require_POST
        def guarded(
            request: HttpRequest, slug: str, *args: P.args, **kwargs: P.kwargs
        ) -> HttpResponse:
            if not request.user.is_authenticated:
                kept.keep_form(request, why="signed_out")
                return redirect_to_login(page_with_what_was_typed(request))
            who = _member(request, slug)
            if who.role not in roles:
                raise PermissionDenied
            try:
                return view(request, who, *args, **kwargs)
            except UnreadableLogError as error:
                return answered(request, Refused(refusal=log_unreadable(error)))

        return guarded

    return decorate


def _member(request: HttpRequest, slug: str) -> Member:
    who = member(request.user, slug) if request.user.is_authenticated else None
    if who is None:
        raise Http404
    if who.role not in USER_VIEW.may:
        raise PermissionDenied
    bind_contextvars(actor=who.actor.name)
    return who
