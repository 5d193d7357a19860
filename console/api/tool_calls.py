"""Tool calls: propose one, read one."""

from __future__ import annotations

from uuid import UUID

from django.db.models import QuerySet
from rest_framework.request import Request
from rest_framework.response import Response

from approvals.states import Role
from console.api.authentication import Caller
from console.api.base import ApiView, answer, found
from console.api.permissions import Act, require
from console.api.problems import problem
from console.api.runs import visible_runs
from console.api.schema import describe
from console.api.schemas import ToolCallBody
from console.pagination import WaitQuery
from console.reads import calls_of
from console.view_models.calls import CallView
from runtime.commands import Refusal
from runtime.evidence import EvidenceText
from runtime.handlers import Propose, propose
from runtime.models import ToolCall


def visible_calls(caller: Caller) -> QuerySet[ToolCall]:
    calls = ToolCall.objects.filter(workspace=caller.actor.workspace)
    return calls.filter(run__account=caller.actor.person) if caller.role is Role.AGENT else calls


class ToolCallCollection(ApiView):
    @describe(
        "propose_tool_call",
        "Propose a call; the same intent again answers the same call, or revises it",
        body=ToolCallBody,
        answers={201: CallView, 200: CallView},
        problems={
            403: "not_authorized",
            404: "not_found",
            409: "intent_taken, not_revisable, run_ended",
            429: "too_many_open",
        },
    )
    def post(self, _request: Request, run_id: UUID) -> Response:
        run = found(visible_runs(self.caller), run_id)
        require(self.caller, Act.WORK)
        outcome = propose(self.caller.actor, run.pk, _command(self.body(ToolCallBody)))
        if isinstance(outcome, Refusal):
            return problem(outcome)
        (view,) = calls_of([outcome.call], masked=self.caller.is_masked)
        return answer(view, 201 if outcome.created else 200)


class ToolCallResource(ApiView):
    @describe(
        "read_tool_call",
        "One call as it stands",
        query=WaitQuery,
        answers={200: CallView},
        problems={404: "not_found"},
    )
    def get(self, _request: Request, call_id: UUID) -> Response:
        self.query(WaitQuery)  # Waiting itself is done before a view is asked.
        call = found(visible_calls(self.caller), call_id)
        (view,) = calls_of([call], masked=self.caller.is_masked)
        return answer(view)


def _command(body: ToolCallBody) -> Propose:
    return Propose(
        capability=body.capability,
        intent=body.intent,
        arguments=body.arguments,
        summary=body.reasoning.summary,
        evidence=tuple(
            EvidenceText(label=item.label, text=item.text, url=item.url)
            for item in body.reasoning.evidence
        ),
        turn_id=body.turn_id,
        decide_within_s=body.decide_within_s,
    )
