"""Members of the workspace: who they are, and what another admin changes about them."""

from __future__ import annotations

from dataclasses import dataclass

from rest_framework.request import Request
from rest_framework.response import Response

from approvals.errors import NotPossibleError
from approvals.handlers import change_member
from approvals.models import Membership
from console.api.base import ApiView, answer, answer_or_problem
from console.api.permissions import Act, require
from console.api.problems import NOT_FOUND, ProblemError, not_possible
from console.api.schema import describe
from console.api.schemas import MemberBody
from console.live.notices import member_moved
from console.pagination import PageQuery, page_of
from runtime.canonical import unsafe
from runtime.commands import Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberView:
    username: str
    role: str
    owner: str | None
    groups: tuple[str, ...]
    active: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberPage:
    items: tuple[MemberView, ...]
    next: str | None


class MemberCollection(ApiView):
    @describe(
        "list_members",
        "Members of the workspace, inactive ones included, newest first",
        query=PageQuery,
        answers={200: MemberPage},
        problems={403: "not_authorized"},
    )
    def get(self, _request: Request) -> Response:
        require(self.caller, Act.ADMINISTER)
        rows = Membership.objects.select_related("person", "owner").prefetch_related("groups")
        here = rows.filter(workspace=self.caller.actor.workspace)
        found, following = page_of(here, self.query(PageQuery))
        return answer(MemberPage(items=tuple(map(_view, found)), next=following))


class MemberResource(ApiView):
    @describe(
        "change_member",
        "Change a member's role or limit groups, or let them in no longer",
        body=MemberBody,
        answers={200: MemberView},
        problems={
            403: "not_authorized, conflict_of_interest",
            404: "not_found",
            409: "last_admin",
        },
    )
    def patch(self, _request: Request, username: str) -> Response:
        members = Membership.objects.filter(workspace=self.caller.actor.workspace)
        # No store can hold a NUL, so nobody has such a name.
        names = [] if unsafe(username) else [username]
        membership = members.filter(person__username__in=names).first()
        if membership is None:
            raise ProblemError(NOT_FOUND)
        require(self.caller, Act.ADMINISTER)
        try:
            outcome = change_member(self.caller.actor, username, self.body(MemberBody))
        except NotPossibleError as error:
            raise not_possible(error) from None
        if not isinstance(outcome, Refusal):
            member_moved(membership.person_id)
        return answer_or_problem(outcome, _view)


def _view(membership: Membership) -> MemberView:
    return MemberView(
        username=membership.person.username,
        role=membership.role,
        owner=membership.owner.username if membership.owner else None,
        groups=tuple(sorted(group.name for group in membership.groups.all())),
        active=membership.active,
    )
