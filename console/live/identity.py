"""Who opens a socket: a session from our own pages, or a bearer token."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from io import BytesIO
from typing import Any, Final

from django.conf import settings
from django.contrib.auth import get_user
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest

from approvals.access import bearer_of
from console.live.notices import session_mark
from console.members import Member, member
from console.origins import is_from_own_page
from console.sessions import SessionStore
from runtime.models import Person

SCHEMES: Final = {"ws": "http", "wss": "https"}


class Refusal(IntEnum):
    """Why a socket is closed, as its close code."""

    NO_IDENTITY = 4401
    NO_ROLE = 4403
    NOT_FOUND = 4404


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """`session` names the session it stands on, without being its key."""

    member: Member
    session: str | None = None


def identify(scope: Any, workspace: str) -> Identity | Refusal:  # noqa: ANN401 - ASGI
    """Read the header if there is one, and only otherwise the cookie."""
    request = _request(scope)
    if "Authorization" in request.headers:
        return _of_token(request.headers["Authorization"], workspace)
    # A browser sends its cookie along for any page: only our own may use it.
    if not is_from_own_page(request):
        return Refusal.NO_IDENTITY
    return _of_session(request, workspace)


def _request(scope: Any) -> HttpRequest:  # noqa: ANN401 - ASGI
    """The handshake as the GET it is, so that host and scheme are judged as a page's are."""
    scheme = SCHEMES[scope.get("scheme", "ws")]
    return ASGIRequest({**scope, "method": "GET", "scheme": scheme}, BytesIO())


def _of_token(header: str, workspace: str) -> Identity | Refusal:
    scheme, _, secret = header.partition(" ")
    bearer = bearer_of(secret.strip()) if scheme.lower() == "bearer" else None
    if bearer is None:
        return Refusal.NO_IDENTITY
    if bearer.actor.workspace.slug != workspace:
        return Refusal.NO_ROLE
    return Identity(member=Member(actor=bearer.actor, role=bearer.role))


def _of_session(request: HttpRequest, workspace: str) -> Identity | Refusal:
    key = request.COOKIES.get(settings.SESSION_COOKIE_NAME)
    request.session = SessionStore(key)
    person = get_user(request)
    if key is None or not isinstance(person, Person):
        return Refusal.NO_IDENTITY
    who = member(person, workspace)
    return Refusal.NO_ROLE if who is None else Identity(member=who, session=session_mark(key))
