"""Who calls: a bearer token and nothing else; a cookie is never read here."""

from __future__ import annotations

from dataclasses import dataclass

from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed, NotAuthenticated
from rest_framework.request import Request
from structlog.contextvars import bind_contextvars

from approvals.access import Scope, bearer_of
from console.members import Member
from runtime.models import Person


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller(Member):
    """A member, and what the token they came with may be used for."""

    scopes: frozenset[Scope]


class BearerAuthentication(BaseAuthentication):
    def authenticate(self, request: Request) -> tuple[Person, Caller]:
        scheme, _, secret = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
        if scheme.lower() != "bearer" or not secret.strip():
            raise NotAuthenticated
        if caller := _caller(secret.strip()):
            bind_contextvars(actor=caller.actor.name, token=str(caller.actor.token))
            return caller.actor.person, caller
        raise AuthenticationFailed

    def authenticate_header(self, _request: Request) -> str:
        return "Bearer"


def _caller(secret: str) -> Caller | None:
    bearer = bearer_of(secret)
    if bearer is None:
        return None
    return Caller(actor=bearer.actor, role=bearer.role, scopes=bearer.scopes)
