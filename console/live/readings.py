"""A run as its pages and its sockets both read it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from approvals.models import Approval
from approvals.states import ApprovalStatus
from console.members import Member
from console.reads import approval_cards, call_cards, run_view, timeline
from console.reads.approvals import RELATED
from console.view_models.approvals import ApprovalCard
from console.view_models.bar import DecisionBarView, decision_bar
from console.view_models.calls import CallCard
from console.view_models.desk import DeskView, desks
from console.view_models.events import TimelineLine
from console.view_models.runs import RunView
from console.viewers import viewers_of
from runtime.event_log import database_now
from runtime.models import Run, ToolCall, Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReading:
    """One run at one moment, the same for all who may see as much; `rows` belong to `approvals`."""

    workspace: Workspace
    run: RunView
    calls: tuple[CallCard, ...]
    approvals: tuple[ApprovalCard, ...]
    rows: tuple[Approval, ...]
    lines: tuple[TimelineLine, ...]
    now: datetime

    def bars(self, member: Member) -> list[DecisionBarView]:
        """Answer what this member may do about each approval, in the order they were asked."""
        viewers = viewers_of(member, self.rows)
        return [decision_bar(card, viewers[card.approval.id], self.now) for card in self.approvals]

    def desks(self, member: Member) -> list[DeskView]:
        return desks(self.calls, self.approvals, member.viewer)

    @property
    def earlier(self) -> str:
        """Where the facts before these ones are, if there are any."""
        first = self.lines[0].position if self.lines else 1
        return f"?before={first}" if first > 1 else ""

    @property
    def deadline(self) -> datetime | None:
        """When something on it changes although nothing happens."""
        deadlines = [row.decide_by if _is_pending(row) else row.hold_until for row in self.rows]
        return min((each for each in deadlines if each and each > self.now), default=None)


def _is_pending(row: Approval) -> bool:
    return row.status == ApprovalStatus.PENDING


def read_run(run: Run, *, masked: bool, before: int | None = None) -> RunReading:
    """Read a run; its timeline ends before the position given."""
    now = database_now()
    rows = tuple(approvals_in(run.workspace).filter(run=run).order_by("pk"))
    approvals = approval_cards(rows, masked=masked)
    calls = list(ToolCall.objects.filter(run=run).order_by("pk"))
    return RunReading(
        workspace=run.workspace,
        run=run_view(run, masked=masked),
        calls=tuple(call_cards(calls, approvals, masked=masked)),
        approvals=tuple(approvals),
        rows=rows,
        lines=tuple(timeline(run, workspace=run.workspace.slug, before=before)),
        now=now,
    )


def approvals_in(workspace: Workspace) -> QuerySet[Approval]:
    return Approval.objects.select_related(*RELATED).filter(workspace=workspace)
