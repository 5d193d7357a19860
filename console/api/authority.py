"""How much each group may approve: read by people, set by admins."""

from __future__ import annotations

from dataclasses import dataclass

from rest_framework.request import Request
from rest_framework.response import Response

from approvals.errors import NotPossibleError
from approvals.handlers import set_limit
from approvals.models import Authority
from console.api.base import ApiView, answer, answer_or_problem
from console.api.permissions import Act, require
from console.api.problems import not_possible
from console.api.schema import describe
from console.api.schemas import AuthorityBody
from console.pagination import PageQuery, page_of


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorityView:
    """Minor units; null is without limit."""

    group: str
    capability: str
    currency: str
    limit_minor: int | None
    day_limit_minor: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorityPage:
    items: tuple[AuthorityView, ...]
    next: str | None


class AuthorityResource(ApiView):
    @describe(
        "list_authority",
        "Every group's limits, newest first",
        query=PageQuery,
        answers={200: AuthorityPage},
        problems={403: "not_authorized"},
    )
    def get(self, _request: Request) -> Response:
        require(self.caller, Act.READ_RULES)
        rows = Authority.objects.select_related("group")
        here = rows.filter(group__workspace=self.caller.actor.workspace)
        found, following = page_of(here, self.query(PageQuery))
        return answer(AuthorityPage(items=tuple(map(_view, found)), next=following))

    @describe(
        "set_authority",
        "Set one limit of a group; a group is introduced by its first limit",
        body=AuthorityBody,
        answers={200: AuthorityView},
        problems={403: "not_authorized, conflict_of_interest"},
    )
    def put(self, _request: Request) -> Response:
        require(self.caller, Act.ADMINISTER)
        try:
            outcome = set_limit(self.caller.actor, self.body(AuthorityBody))
        except NotPossibleError as error:
            raise not_possible(error) from None
        return answer_or_problem(outcome, _view)


def _view(row: Authority) -> AuthorityView:
    return AuthorityView(
        group=row.group.name,
        capability=row.capability,
        currency=row.currency,
        limit_minor=row.limit_minor,
        day_limit_minor=row.day_limit_minor,
    )
