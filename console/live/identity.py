"""Who opens a socket: a session from our own pages, or a bearer token."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.sessions.backends.db import SessionStore
from django.http import HttpRequest
from django.http.request import split_domain_port, validate_host

from approvals.access import bearer_of
from console.live.notices import session_mark
from console.members import Member, member
from runtime.models import Person


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
    headers = {key.decode("latin-1"): value.decode("latin-1") for key, value in scope["headers"]}
    if "authorization" in headers:
        return _of_token(headers["authorization"], workspace)
    if not _is_own_page(headers):
        return Refusal.NO_IDENTITY
    return _of_session(_session_key(headers.get("cookie", "")), workspace)


def _of_token(header: str, workspace: str) -> Identity | Refusal:
    scheme, _, secret = header.partition(" ")
    bearer = bearer_of(secret.strip()) if scheme.lower() == "bearer" else None
    if bearer is None:
        return Refusal.NO_IDENTITY
    if bearer.actor.workspace.slug != workspace:
        return Refusal.NO_ROLE
    return Identity(member=Member(actor=bearer.actor, role=bearer.role))


def _of_session(key: str | None, workspace: str) -> Identity | Refusal:
    request = HttpRequest()
    request.session = SessionStore(key)
    person = get_user(request)
    if key is None or not isinstance(person, Person):
        return Refusal.NO_IDENTITY
    who = member(person, workspace)
    return Refusal.NO_ROLE if who is None else Identity(member=who, session=session_mark(key))


def _session_key(header: str) -> str | None:
    try:
        morsel = SimpleCookie(header).get(settings.SESSION_COOKIE_NAME)
    except CookieError:
        return None
    return morsel.value if morsel else None


def _is_own_page(headers: dict[str, str]) -> bool:
    """A browser sends its cookie along for any page: only our own may use it."""
    origin, host = urlsplit(headers.get("origin", "")).netloc.lower(), headers.get("host", "")
    domain, _port = split_domain_port(host)
    return origin == host.lower() and validate_host(domain, settings.ALLOWED_HOSTS)
