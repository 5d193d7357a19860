"""Runs as pages and programs see them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from approvals.models import Approval
from approvals.states import ApprovalStatus
from console.readings import RUN_STATE
from console.reads.lookup import Texts, names_of
from console.reads.run_status import blocked, heard, run_status
from console.reads.subjects import Subjects
from console.view_models.runs import BlockedView, RunDerived, RunView
from runtime.event_log import database_now, unreadable_since
from runtime.models import Attempt, Run, ToolCall
from runtime.states import RUN_ENDED, RunStatus


class _Around:
    """Everything around a set of runs, in six queries."""

    def __init__(self, runs: Sequence[Run], *, masked: bool) -> None:
        self.masked = masked
        self.now: datetime = database_now()
        self.up = heard(self.now)
        self.names = names_of(run.initiator for run in runs)
        wanted = [ref for run in runs for ref in (run.goal, run.success_criterion)]
        self.texts = Texts(wanted, masked=masked)
        self.subjects = Subjects(runs)
        self.calls: dict[UUID, list[ToolCall]] = defaultdict(list)
        for call in ToolCall.objects.filter(run__in=runs).order_by("pk"):
            self.calls[call.run_id].append(call)
        self.pending: dict[UUID, list[UUID]] = defaultdict(list)
        asked = Approval.objects.filter(run__in=runs, status=ApprovalStatus.PENDING)
        for run_id, approval_id in asked.order_by("pk").values_list("run_id", "pk"):
            self.pending[run_id].append(approval_id)
        attempts = Attempt.objects.filter(tool_call__run__in=runs).order_by("number")
        self.last_attempts: dict[object, Attempt] = {one.tool_call_id: one for one in attempts}


def run_views(runs: Sequence[Run], *, masked: bool) -> list[RunView]:
    """Answer views in the order given; `masked` hides personal text."""
    around = _Around(runs, masked=masked)
    return [_view(run, around) for run in runs]


def run_view(run: Run, *, masked: bool) -> RunView:
    """One run, and whether its log can be read: nothing is done in it otherwise."""
    (view,) = run_views([run], masked=masked)
    since = unreadable_since(run.pk)
    if since is None:
        return view
    return replace(view, blocked=BlockedView(code="log_unreadable", since=since))


def _view(run: Run, around: _Around) -> RunView:
    calls = around.calls[run.pk]
    pending = around.pending[run.pk]
    status = run_status(run, calls, is_asked=bool(pending))
    return RunView(
        reading=RUN_STATE.name,
        schema_version=RUN_STATE.schema_version,
        id=run.pk,
        workspace=run.workspace.slug,
        agent=run.agent,
        goal=around.texts.say(run.goal),
        success_criterion=around.texts.get(run.success_criterion),
        subject=around.subjects.masked(run) if around.masked else around.subjects.whole(run),
        initiator=around.names.get(run.initiator) if run.initiator else None,
        status=status,
        blocked=blocked(calls, around.last_attempts, around.now, around.up),
        position=run.head,
        pending_approvals=tuple(pending),
        progress=None,
        view=RunDerived(
            is_busy=status not in RUN_ENDED,
            can_stop=status not in RUN_ENDED and status is not RunStatus.STOPPING,
        ),
        started_at=run.started_at or around.now,
        ended_at=run.ended_at,
    )
