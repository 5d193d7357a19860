"""Runs: find one, read its timeline, stop it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404

from approvals.states import Role
from console.live.readings import read_run
from console.members import Member
from console.pages import kept
from console.pages.access import command, page
from console.pages.answers import answered, draft, incomplete, own_receipt
from console.pages.approvals import command_ids
from console.pages.forms import REASON_CHOICES, StopForm, asked
from console.pages.frame import framed, notice
from console.pages.paging import newest
from console.reads import run_views
from console.reads.run_status import with_status
from console.reads.search import named
from console.view_models.bar import DecisionBarView, run_actions
from console.view_models.desk import DeskView
from console.view_models.runs import RunsView
from console.view_models.words import RUN
from runtime.handlers import command_run
from runtime.ids import new_id
from runtime.models import Run
from runtime.states import RunStatus

LONGEST_SEARCH = 200
STEPS = frozenset({"stop", "desk"})


@page
def index(request: HttpRequest, member: Member) -> HttpResponse:
    wanted = asked(request)
    status, q = wanted["status"] or "", (wanted["q"] or "")[:LONGEST_SEARCH]
    rows, following = newest(_matching(member, status, q), wanted["cursor"])
    views = run_views(rows, masked=member.is_masked)
    return framed(
        request,
        member,
        "runs/list.html",
        area="runs",
        runs=RunsView(runs=tuple(views), status=status, q=q, next=following),
        statuses=[(status.value, word.text) for status, word in RUN.items()],
    )


@page
def detail(request: HttpRequest, member: Member, run_id: UUID) -> HttpResponse:
    run = get_object_or_404(_runs(member), pk=run_id)
    wanted = asked(request)
    before = wanted["before"]
    typed = kept.kept_for(request)
    reading = read_run(run, masked=member.is_masked, before=before)
    return framed(
        request,
        member,
        "runs/page.html",
        area="runs",
        now=reading.now,
        # A page of the past has nothing to wait for.
        live_url="" if before else f"/ws/{reading.workspace.slug}/runs/{run.pk}/",
        notice=notice(own_receipt(member, wanted["receipt"]), typed if wanted["kept"] else None),
        run=reading.run,
        decisions=[_decision(bar) for bar in reading.bars(member)],
        actions=run_actions(reading.run, member.viewer),
        step=wanted["step"] if wanted["step"] in STEPS else "",
        desks=[_desk(desk, member, typed) for desk in reading.desks(member)],
        commands={"stop": new_id()},
        draft=draft(member, typed),
        reasons=REASON_CHOICES,
        cards=reading.calls,
        lines=reading.lines,
        earlier=reading.earlier,
    )


@command(Role.REVIEWER, Role.ADMIN)
def stop(request: HttpRequest, member: Member, run_id: UUID) -> HttpResponse:
    run = get_object_or_404(_runs(member), pk=run_id)
    form = StopForm(request.POST)
    if not form.is_valid():
        return incomplete(request, form)
    return answered(request, command_run(member.actor, run.pk, form.command()))


def _runs(member: Member) -> QuerySet[Run]:
    return Run.objects.select_related("workspace").filter(workspace=member.actor.workspace)


def _matching(member: Member, status: str, q: str) -> QuerySet[Run]:
    """Goals are encrypted, so a search finds agents, orders and ids."""
    runs = _runs(member)
    if status in set(RunStatus):
        runs = with_status(runs, RunStatus(status))
    if not q:
        return runs
    return runs.filter(Q(agent__icontains=q) | named(member.actor.workspace.pk, q))


def _desk(desk: DeskView, member: Member, typed: kept.Kept | None) -> dict[str, Any]:
    """Settling and observing are two commands: a call passes from the one to the other."""
    said = typed if typed and typed.statement.get("call") == str(desk.card.call.id) else None
    return {
        "desk": desk,
        "commands": {"settle": new_id(), "observe": new_id()},
        "draft": draft(member, said) | (said.statement if said else {}),
        "errors": said.errors if said else {},
    }


def _decision(bar: DecisionBarView) -> dict[str, Any]:
    return {"bar": bar, "step": "", "commands": command_ids(), "draft": {}, "errors": {}}
