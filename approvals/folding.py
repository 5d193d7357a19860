"""Fold a run's approvals from nothing, and name each row that differs from the result."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from uuid import UUID

from approvals import events as e
from approvals.models import Approval, Consumption, Vote
from approvals.reducers import ApprovalState, reduce_approval
from runtime.event_log import read
from runtime.event_types import Recorded
from runtime.folding import differences
from runtime.guards import append_only_guard, moves_guard
from runtime.models import Run
from runtime.projections import state_of
from runtime.rebuilding import calls_by, restore

GUARDED: Final = (
    ("approvals_approval", moves_guard("approvals_approval", "status")),
    ("approvals_vote", append_only_guard("approvals_vote")),
    ("approvals_consumption", append_only_guard("approvals_consumption")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteState:
    """Field for field, the columns of `Vote` that its event decides."""

    approval_id: UUID
    person_id: UUID
    decision: str
    reason_code: str | None
    note: UUID | None
    cast_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumptionState:
    """Field for field, the columns of `Consumption` that its event decides."""

    tool_call_id: UUID | None
    consumed_at: datetime


@dataclass(slots=True, kw_only=True)
class Fold:
    """The approvals of a run as its facts tell them; votes by approval, person and decision."""

    approvals: dict[UUID, ApprovalState] = field(default_factory=lambda: defaultdict(ApprovalState))
    votes: dict[str, VoteState] = field(default_factory=dict)
    consumptions: dict[UUID, ConsumptionState] = field(default_factory=dict)


def fold(run_id: UUID) -> Fold:
    folded = Fold()
    for fact in read(run_id):
        if approval_id := fact.envelope.approval_id:
            before = folded.approvals[approval_id]
            folded.approvals[approval_id] = reduce_approval(before, fact)
            _take_in(folded, approval_id, fact)
    return folded


def _take_in(folded: Fold, approval_id: UUID, fact: Recorded) -> None:
    match fact.payload:
        case e.ApprovalVoted() as voted:
            vote = VoteState(
                approval_id=approval_id,
                person_id=voted.person,
                decision=voted.decision,
                reason_code=voted.reason_code,
                note=voted.note.id if voted.note else None,
                cast_at=fact.occurred_at,
            )
            folded.votes[_key(vote)] = vote
        case e.ApprovalConsumed():
            folded.consumptions[approval_id] = ConsumptionState(
                tool_call_id=fact.envelope.tool_call_id, consumed_at=fact.occurred_at
            )
        case _:
            pass


def rows(run_id: UUID) -> Fold:
    """The same picture, read from the projected rows."""
    votes = [state_of(VoteState, vote) for vote in Vote.objects.filter(approval__run=run_id)]
    return Fold(
        approvals={
            approval.pk: state_of(ApprovalState, approval)
            for approval in Approval.objects.filter(run=run_id)
        },
        votes={_key(vote): vote for vote in votes},
        consumptions={
            spent.pk: state_of(ConsumptionState, spent)
            for spent in Consumption.objects.filter(approval__run=run_id)
        },
    )


def approval_differences(run_id: UUID) -> Iterator[str]:
    folded, stored = fold(run_id), rows(run_id)
    yield from differences("approval", folded.approvals, stored.approvals)
    yield from differences("vote", folded.votes, stored.votes)
    yield from differences("consumption", folded.consumptions, stored.consumptions)


def rebuild_approvals(run_id: UUID) -> None:
    """Write what the facts say; a vote or consumption that none tells of is left to people."""
    folded = fold(run_id)
    run = Run.objects.get(pk=run_id)
    calls = calls_by("approval_id", run_id)
    for approval_id, state in folded.approvals.items():
        approval = Approval.objects.filter(pk=approval_id).first()
        missing = Approval(pk=approval_id, workspace_id=run.workspace_id, run=run)
        missing.tool_call_id = calls[approval_id]
        restore(approval or missing, state)
    votes = {_key(vote): vote for vote in Vote.objects.filter(approval__run=run_id)}
    for key, cast in folded.votes.items():
        restore(votes.get(key) or Vote(), cast)
    spent = Consumption.objects.in_bulk(folded.consumptions)
    for approval_id, consumed in folded.consumptions.items():
        restore(spent.get(approval_id) or Consumption(approval_id=approval_id), consumed)


def _key(vote: VoteState | Vote) -> str:
    return f"of {vote.person_id} on {vote.approval_id}: {vote.decision}"
