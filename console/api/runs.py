"""Runs: start one, list them, read one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

from django.db.models import QuerySet
from pydantic import Field, TypeAdapter, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from approvals.models import Membership
from approvals.states import Role
from console.api.authentication import Caller
from console.api.base import ApiView, answer, found
from console.api.permissions import Act, require, require_reading
from console.api.problems import invalid, problem
from console.api.schema import describe
from console.api.schemas import RequestKeyText, RunBody
from console.pagination import PageQuery, page_of
from console.readings import RUN_STATE
from console.reads import run_view, run_views
from console.reads.run_status import with_status
from console.reads.search import named
from console.view_models.runs import RunView
from runtime.commands import Refusal
from runtime.handlers import StartRun, start_run
from runtime.models import Run
from runtime.states import RunStatus

KEY_HEADER = "Idempotency-Key"
request_key = TypeAdapter(RequestKeyText)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPage:
    items: tuple[RunView, ...]
    next: str | None


class RunQuery(PageQuery):
    """`q` is the id of an order or a run, or what a call is called outside; `agent` is a label."""

    status: RunStatus | None = None
    q: Annotated[str | None, Field(max_length=20_000)] = None
    agent: Annotated[str | None, Field(max_length=200)] = None


def visible_runs(caller: Caller) -> QuerySet[Run]:
    """An agent sees its own runs, everybody else those of the workspace."""
    runs = Run.objects.select_related("workspace").filter(workspace=caller.actor.workspace)
    return runs.filter(account=caller.actor.person) if caller.role is Role.AGENT else runs


class RunCollection(ApiView):
    @describe("list_runs", "Runs, newest first", query=RunQuery, answers={200: RunPage})
    def get(self, _request: Request) -> Response:
        query = self.query(RunQuery)
        rows, following = page_of(_matching(self.caller, query), query)
        return answer(
            RunPage(items=tuple(run_views(rows, masked=self.caller.is_masked)), next=following)
        )

    @describe(
        "start_run",
        "Start a run",
        body=RunBody,
        headers={KEY_HEADER: "the same key and body again answer the same run, for 24 hours"},
        answers={201: RunView, 200: RunView},
        problems={403: "not_authorized", 422: "idempotency_mismatch"},
    )
    def post(self, request: Request) -> Response:
        require(self.caller, Act.WORK)
        body = self.body(RunBody)
        outcome = start_run(self.caller.actor, _command(self.caller, body, _key(request)))
        if isinstance(outcome, Refusal):
            return problem(outcome)
        view = run_view(outcome.run, masked=self.caller.is_masked)
        return answer(view, 201 if outcome.created else 200)


class RunResource(ApiView):
    @describe(
        "read_run", "One run as it stands", answers={200: RunView}, problems={404: "not_found"}
    )
    def get(self, _request: Request, run_id: UUID) -> Response:
        run = found(visible_runs(self.caller), run_id)
        require_reading(self.caller, RUN_STATE)
        view = run_view(run, masked=self.caller.is_masked)
        return answer(view)


def _matching(caller: Caller, query: RunQuery) -> QuerySet[Run]:
    runs = visible_runs(caller)
    if query.status is not None:
        runs = with_status(runs, query.status)
    if query.agent is not None:
        runs = runs.filter(agent=query.agent)
    if query.q is None:
        return runs
    return runs.filter(named(caller.actor.workspace.pk, query.q))


def _key(request: Request) -> str | None:
    key = request.headers.get(KEY_HEADER)
    try:
        return None if key is None else request_key.validate_python(key)
    except ValidationError:
        raise invalid([(KEY_HEADER, "1 to 255 printable ASCII characters")]) from None


def _command(caller: Caller, body: RunBody, key: str | None) -> StartRun:
    author = body.ticket.author if body.ticket else None
    return StartRun(
        agent=body.agent,
        goal=body.goal,
        harness=body.harness,
        subject=body.subject.model_dump(),
        success_criterion=body.success_criterion,
        initiator=_initiator(caller, body.initiator),
        ticket=body.ticket.model_dump() if body.ticket else None,
        ticket_author=_member(caller, author),
        request_key=key,
        request=body.model_dump(mode="json"),
    )


def _initiator(caller: Caller, username: str | None) -> UUID | None:
    person = _member(caller, username)
    if username is not None and person is None:
        raise invalid([("initiator", "No member of the workspace has this username.")])
    return person


def _member(caller: Caller, username: str | None) -> UUID | None:
    members = Membership.objects.filter(workspace=caller.actor.workspace)
    return members.filter(person__username=username).values_list("person", flat=True).first()
