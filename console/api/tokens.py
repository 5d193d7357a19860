"""Bearer tokens: make one (its secret is answered once), list them, revoke one."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db.models import QuerySet
from rest_framework.request import Request
from rest_framework.response import Response

from approvals.access import expiry_flaw, hands_of, issue_token, revoke_token
from approvals.errors import NotPossibleError
from approvals.models import AccessToken, Membership
from console.api.authentication import Caller
from console.api.base import ApiView, answer, found
from console.api.permissions import Act, require
from console.api.problems import ProblemError, invalid, not_possible, refusal
from console.api.schema import describe
from console.api.schemas import TokenBody
from console.live.notices import member_moved
from console.pagination import PageQuery, page_of
from runtime.models import Person

# Its maker would be named nowhere on the next one, and could act through that unseen.
BORROWED: Final = refusal(
    403, "conflict_of_interest", "A token that somebody else made makes no further tokens."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTokenView:
    """`token` is the secret: it is kept only as a hash and never shown again."""

    id: UUID
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenView:
    id: UUID
    user: str
    scopes: tuple[str, ...]
    created_by: str
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenPage:
    items: tuple[TokenView, ...]
    next: str | None


def tokens_of(caller: Caller) -> QuerySet[AccessToken]:
    tokens = AccessToken.objects.select_related("person", "creator")
    return tokens.filter(workspace=caller.actor.workspace)


class TokenCollection(ApiView):
    @describe(
        "list_tokens",
        "Tokens of the workspace, newest first",
        query=PageQuery,
        answers={200: TokenPage},
        problems={403: "not_authorized"},
    )
    def get(self, _request: Request) -> Response:
        require(self.caller, Act.ADMINISTER)
        rows, following = page_of(tokens_of(self.caller), self.query(PageQuery))
        return answer(TokenPage(items=tuple(_view(row) for row in rows), next=following))

    @describe(
        "issue_token",
        "Make a token for a member",
        body=TokenBody,
        answers={201: NewTokenView},
        problems={403: "not_authorized, conflict_of_interest"},
    )
    def post(self, _request: Request) -> Response:
        require(self.caller, Act.ADMINISTER)
        if hands_of(self.caller.actor) != {self.caller.actor.person.pk}:
            raise ProblemError(BORROWED)
        body = self.body(TokenBody)
        token, secret = _issue(self.caller, body, _person(self.caller, body.user))
        return answer(NewTokenView(id=token.pk, token=secret), 201)


class TokenResource(ApiView):
    @describe(
        "revoke_token",
        "Revoke a token; nobody can use it from now on",
        answers={204: None},
        problems={403: "not_authorized", 404: "not_found"},
    )
    def delete(self, _request: Request, token_id: UUID) -> Response:
        token = found(tokens_of(self.caller), token_id)
        require(self.caller, Act.ADMINISTER)
        revoke_token(token, by=self.caller.actor)
        member_moved(token.person_id)
        return Response(status=204)


def _person(caller: Caller, username: str) -> Person:
    members = Membership.objects.filter(workspace=caller.actor.workspace, active=True)
    membership = members.filter(person__username=username, person__is_active=True).first()
    if membership is None:
        raise invalid([("user", "No active member of the workspace has this username.")])
    return membership.person


def _issue(caller: Caller, body: TokenBody, person: Person) -> tuple[AccessToken, str]:
    if flaw := expiry_flaw(body.expires):
        raise invalid([("expires", flaw)])
    try:
        return issue_token(
            caller.actor.workspace,
            person,
            creator=caller.actor.person,
            scopes=body.scopes,
            expires_at=body.expires,
            by=caller.actor,
        )
    except NotPossibleError as error:
        raise not_possible(error) from None


def _view(token: AccessToken) -> TokenView:
    return TokenView(
        id=token.pk,
        user=token.person.username,
        scopes=tuple(token.scopes),
        created_by=token.creator.username,
        created_at=token.created_at,
        expires_at=token.expires_at,
        last_used_at=token.last_used_at,
        revoked_at=token.revoked_at,
    )
