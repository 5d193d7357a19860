"""Policies: read their versions, write the next one, put one in force or out of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

from django.db.models import QuerySet
from rest_framework.request import Request
from rest_framework.response import Response

from approvals.handlers import PolicyMove, change_policy
from approvals.models import PolicyVersion
from approvals.rules import write_policy
from approvals.selectors import versions_in_force
from console.api.authentication import Caller
from console.api.base import ApiView, answer
from console.api.permissions import Act, require
from console.api.problems import NOT_FOUND, ProblemError, invalid
from console.api.receipts import command_answer
from console.api.schema import describe
from console.api.schemas import PolicyBody, PolicyMoveBody
from console.pagination import PageQuery, page_of
from console.view_models.receipts import ReceiptView
from runtime.capabilities import capability

LONGEST_NAME = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyVersionView:
    """`author` is null where the operator wrote it, as a workspace's first version."""

    name: str
    version: int
    document: dict[str, Any]
    author: str | None
    written_at: datetime
    activated_at: datetime | None
    withdrawn_at: datetime | None
    in_force: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyVersionPage:
    items: tuple[PolicyVersionView, ...]
    next: str | None


def policies_of(caller: Caller) -> QuerySet[PolicyVersion]:
    rows = PolicyVersion.objects.select_related("author")
    return rows.filter(workspace=caller.actor.workspace)


class PolicyCollection(ApiView):
    @describe(
        "list_policies",
        "Every version of every policy, newest first",
        query=PageQuery,
        answers={200: PolicyVersionPage},
        problems={403: "not_authorized"},
    )
    def get(self, _request: Request) -> Response:
        require(self.caller, Act.READ_RULES)
        return _page(self.caller, policies_of(self.caller), self.query(PageQuery))


class PolicyVersionCollection(ApiView):
    @describe(
        "list_policy_versions",
        "The versions of one policy, newest first",
        query=PageQuery,
        answers={200: PolicyVersionPage},
        problems={403: "not_authorized", 404: "not_found"},
    )
    def get(self, _request: Request, name: str) -> Response:
        versions = _named(self.caller, name)
        require(self.caller, Act.READ_RULES)
        return _page(self.caller, versions, self.query(PageQuery))

    @describe(
        "write_policy_version",
        "Write the next version; it is in force once another admin activates it",
        body=PolicyBody,
        answers={201: PolicyVersionView},
        problems={403: "not_authorized", 404: "not_found"},
    )
    def post(self, _request: Request, name: str) -> Response:
        if len(name) > LONGEST_NAME:
            raise ProblemError(NOT_FOUND)
        require(self.caller, Act.ADMINISTER)
        body = self.body(PolicyBody)
        if capability(body.capability) is None:
            raise invalid([("capability", "There is no capability of this name.")])
        actor = self.caller.actor
        version = write_policy(actor.workspace, name, body, author=actor.person, by=actor)
        (view,) = _views(self.caller, [version])
        return answer(view, 201)


class PolicyMoveCollection(ApiView):
    move: ClassVar[PolicyMove]

    def take(self, name: str) -> Response:
        versions = _named(self.caller, name)
        require(self.caller, Act.ADMINISTER)
        body = self.body(PolicyMoveBody)
        if not versions.filter(version=body.version).exists():
            raise invalid([("version", "The policy has no such version.")])
        return command_answer(change_policy(self.caller.actor, name, self.move, body))


class ActivationCollection(PolicyMoveCollection):
    move = PolicyMove.ACTIVATE

    @describe(
        "activate_policy_version",
        "Put a version in force: by an admin other than its author",
        body=PolicyMoveBody,
        answers={200: ReceiptView},
        problems={
            403: "not_authorized, conflict_of_interest",
            404: "not_found",
            409: "already_active, already_withdrawn, not_newer, rival_policies",
            422: "idempotency_mismatch",
        },
    )
    def post(self, _request: Request, name: str) -> Response:
        return self.take(name)


class WithdrawalCollection(PolicyMoveCollection):
    move = PolicyMove.WITHDRAW

    @describe(
        "withdraw_policy_version",
        "Take a version out of force; what it granted and nobody spent is asked again",
        body=PolicyMoveBody,
        answers={200: ReceiptView},
        problems={
            403: "not_authorized",
            404: "not_found",
            409: "already_withdrawn",
            422: "idempotency_mismatch",
        },
    )
    def post(self, _request: Request, name: str) -> Response:
        return self.take(name)


def _named(caller: Caller, name: str) -> QuerySet[PolicyVersion]:
    versions = policies_of(caller).filter(name=name)
    if not versions.exists():
        raise ProblemError(NOT_FOUND)
    return versions


def _page(caller: Caller, rows: QuerySet[PolicyVersion], query: PageQuery) -> Response:
    found, following = page_of(rows, query)
    return answer(PolicyVersionPage(items=_views(caller, found), next=following))


def _views(caller: Caller, rows: Sequence[PolicyVersion]) -> tuple[PolicyVersionView, ...]:
    in_force = {version.pk for version in versions_in_force(caller.actor.workspace.pk)}
    return tuple(
        PolicyVersionView(
            name=row.name,
            version=row.version,
            document=row.document,
            author=row.author.username if row.author else None,
            written_at=row.written_at,
            activated_at=row.activated_at,
            withdrawn_at=row.withdrawn_at,
            in_force=row.pk in in_force,
        )
        for row in rows
    )
