"""Approvals: list them, read one, decide it, take it back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Final, Literal
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from approvals.decisions import REASON_REQUIRED
from approvals.handlers import decide, revoke
from approvals.models import Approval, Vote
from approvals.states import APPROVAL_OPEN, ApprovalStatus, Decision, Purpose, Role
from console.api.authentication import Caller
from console.api.base import ApiView, answer, found
from console.api.permissions import Act, require
from console.api.problems import ProblemError
from console.api.receipts import command_answer
from console.api.schema import describe
from console.api.schemas import DecisionBody, RevocationBody
from console.pagination import PageQuery, WaitQuery, page_of
from console.reads import approvals_of
from console.reads.approvals import RELATED
from console.view_models.approvals import ApprovalView
from console.view_models.receipts import ReceiptView
from console.viewers import viewers_of

DECIDING: Final[Mapping[Purpose, Act]] = {
    Purpose.EFFECT: Act.DECIDE,
    Purpose.SETTLEMENT: Act.DECIDE_SETTLEMENT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalPage:
    items: tuple[ApprovalView, ...]
    next: str | None


class ApprovalQuery(PageQuery):
    """`mine`: decided by the caller, or open and not yet voted on by the caller."""

    status: ApprovalStatus | None = None
    capability: Annotated[str | None, Field(max_length=100)] = None
    mine: Literal["open", "decided"] | None = None


def visible_approvals(caller: Caller) -> QuerySet[Approval]:
    rows = Approval.objects.select_related(*RELATED).filter(workspace=caller.actor.workspace)
    return rows.filter(run__account=caller.actor.person) if caller.role is Role.AGENT else rows


class ApprovalCollection(ApiView):
    @describe(
        "list_approvals",
        "Approvals, newest first",
        query=ApprovalQuery,
        answers={200: ApprovalPage},
    )
    def get(self, _request: Request) -> Response:
        query = self.query(ApprovalQuery)
        rows, following = page_of(_matching(self.caller, query), query)
        return answer(ApprovalPage(items=tuple(_views(self.caller, rows)), next=following))


class ApprovalResource(ApiView):
    @describe(
        "read_approval",
        "One approval as it stands, and what the caller may do about it",
        query=WaitQuery,
        answers={200: ApprovalView},
        problems={404: "not_found"},
    )
    def get(self, _request: Request, approval_id: UUID) -> Response:
        self.query(WaitQuery)  # Waiting itself is done before a view is asked.
        approval = found(visible_approvals(self.caller), approval_id)
        (view,) = _views(self.caller, [approval])
        return answer(view)


class DecisionCollection(ApiView):
    @describe(
        "decide_approval",
        "Approve or reject exactly what was seen",
        body=DecisionBody,
        answers={200: ReceiptView},
        problems={
            403: "not_authorized, conflict_of_interest, no_limit_for_currency, over_limit",
            404: "not_found",
            409: "already_settled, already_voted, precondition_failed",
            410: "expired",
            412: "superseded, stale",
            422: "reason_required, idempotency_mismatch",
        },
    )
    def post(self, _request: Request, approval_id: UUID) -> Response:
        approval = found(visible_approvals(self.caller), approval_id)
        require(self.caller, DECIDING[Purpose(approval.purpose)])
        body = self.body(DecisionBody)
        if body.decision is Decision.REJECT and body.reason_code is None:
            raise ProblemError(REASON_REQUIRED)
        return command_answer(decide(self.caller.actor, approval.pk, body))


class RevocationCollection(ApiView):
    @describe(
        "revoke_approval",
        "Take a grant back before it is spent, or the question while it is open",
        body=RevocationBody,
        answers={200: ReceiptView},
        problems={
            403: "not_authorized",
            404: "not_found",
            409: "too_late, already_settled",
            422: "idempotency_mismatch",
        },
    )
    def post(self, _request: Request, approval_id: UUID) -> Response:
        approval = found(visible_approvals(self.caller), approval_id)
        require(self.caller, Act.REVOKE)
        body = self.body(RevocationBody)
        return command_answer(revoke(self.caller.actor, approval.pk, body))


def _views(caller: Caller, rows: list[Approval]) -> list[ApprovalView]:
    return approvals_of(rows, masked=caller.is_masked, viewers=viewers_of(caller, rows))


def _matching(caller: Caller, query: ApprovalQuery) -> QuerySet[Approval]:
    rows = visible_approvals(caller)
    if query.status is not None:
        rows = rows.filter(status=query.status)
    if query.capability is not None:
        named, either = query.capability, f"{query.capability}@"
        rows = rows.filter(
            Q(tool_call__capability=named) | Q(tool_call__capability__startswith=either)
        )
    voted = Exists(Vote.objects.filter(approval=OuterRef("pk"), person=caller.actor.person))
    match query.mine:
        case "decided":
            return rows.filter(voted)
        case "open":
            return rows.filter(~voted, status__in=sorted(APPROVAL_OPEN))
        case None:
            return rows
