"""The same state as data, for programs that watch: `?as=json`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import TypeAdapter

from approvals.states import ApprovalStatus
from console.live.frames import StateFrame
from console.live.readings import RunReading, approvals_in
from console.members import Member
from console.reads import approvals_of
from console.reads.approvals import seen
from console.shell import waiting
from console.view_models.approvals import ApprovalView
from console.view_models.calls import CallView
from console.view_models.runs import RunView
from console.viewers import viewers_of
from runtime.models import Workspace

ROWS = 100


@dataclass(frozen=True, kw_only=True)
class RunState:
    run: RunView
    approvals: tuple[ApprovalView, ...]
    tool_calls: tuple[CallView, ...]
    position: int
    kind: Literal["state"] = "state"


@dataclass(frozen=True, kw_only=True)
class Counts:
    pending: int


@dataclass(frozen=True, kw_only=True)
class InboxState:
    """The most urgent questions, and how many there are in all."""

    approvals: tuple[ApprovalView, ...]
    counts: Counts
    kind: Literal["state"] = "state"


_run_states = TypeAdapter(RunState)
_inbox_states = TypeAdapter(InboxState)


def run_state(reading: RunReading, member: Member) -> StateFrame:
    viewers = viewers_of(member, reading.rows)
    views = [seen(card, viewers[card.approval.id], reading.now) for card in reading.approvals]
    state = RunState(
        run=reading.run,
        approvals=tuple(views),
        tool_calls=tuple(card.call for card in reading.calls),
        position=reading.run.position,
    )
    return StateFrame(
        target="state",
        content=_run_states.dump_json(state).decode(),
        run=reading.run.id,
        position=reading.run.position,
    )


def inbox_state(workspace: Workspace, member: Member) -> StateFrame:
    pending = approvals_in(workspace).filter(status=ApprovalStatus.PENDING)
    rows = list(pending.order_by("decide_by", "pk")[:ROWS])
    views = approvals_of(rows, masked=member.is_masked, viewers=viewers_of(member, rows))
    counts = Counts(pending=waiting(workspace.pk))
    state = InboxState(approvals=tuple(views), counts=counts)
    return StateFrame(target="state", content=_inbox_states.dump_json(state).decode())
