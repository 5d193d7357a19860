"""Runs as graders get them: from the log, the rows folded from it, and the receipts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from approvals.models import Approval
from approvals.states import ApprovalStatus
from console.readings import TRAJECTORY
from console.reads.casts import Cast
from console.reads.keeping import keep_arguments, keep_code, keep_details, seconds
from console.reads.run_status import run_status
from console.view_models.trajectory import (
    AskedView,
    CommandedView,
    DecidedView,
    StepView,
    TrajectoryCall,
    TrajectoryView,
    TriedView,
)
from runtime.errors import UnreadableLogError
from runtime.event_types import newest
from runtime.models import Attempt, Event, Receipt, Run, ToolCall
from runtime.states import CALL_WITHOUT_EFFECT, AttemptClose, CallStatus, VerificationStatus

ASKED = ("tool.call.proposed", "tool.call.revised")
QUESTIONS = {"approval.requested": "effect", "approval.settlement_requested": "settlement"}
CONFIRMED = "outcome.confirmed_success"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fact:
    row: Event
    said: dict[str, Any]

    @property
    def type(self) -> str:
        return self.row.event_type


@dataclass(frozen=True, slots=True, kw_only=True)
class _Story:
    """A run, read once."""

    run: Run
    facts: list[_Fact]
    cast: Cast
    began: datetime

    def at_s(self, at: datetime) -> float:
        return seconds(at, self.began)

    def about(self, call: ToolCall) -> list[_Fact]:
        return [fact for fact in self.facts if fact.row.tool_call_id == call.pk]


def trajectory_of(run: Run) -> TrajectoryView:
    rows = list(Event.objects.filter(run=run, position__lte=run.head).order_by("position"))
    facts = [_Fact(row=row, said=_said(row)) for row in rows]
    story = _Story(run=run, facts=facts, cast=Cast(run, rows), began=rows[0].occurred_at)
    calls = sorted(
        ToolCall.objects.filter(run=run, pk__in=story.cast.calls),
        key=lambda call: story.cast.calls[str(call.pk)],
    )
    is_asked = Approval.objects.filter(run=run, status=ApprovalStatus.PENDING).exists()
    return TrajectoryView(
        reading=TRAJECTORY.name,
        schema_version=TRAJECTORY.schema_version,
        run=run.pk,
        agent=story.cast.pseudonym("agent", run.agent),
        harness=run.harness,
        order=story.cast.pseudonym("order", run.order_key) if run.order_key else None,
        has_goal=run.goal is not None,
        has_success_criterion=run.success_criterion is not None,
        has_ticket=run.ticket is not None,
        started_at=story.began,
        status=run_status(run, calls, is_asked=is_asked),
        ended_after_s=story.at_s(run.ended_at) if run.ended_at else None,
        calls=tuple(_calls(story, calls)),
        commands=tuple(_commands(story)),
        counts=dict(Counter(fact.type for fact in facts)),
        steps=tuple(_steps(story)),
    )


def _said(row: Event) -> dict[str, Any]:
    try:
        return newest(row.event_type, row.schema_version, row.body)
    except UnreadableLogError:
        # A newer program wrote it: that it happened is all there is to tell.
        return {}


def _steps(story: _Story) -> Iterable[StepView]:
    positions = {fact.row.event_id: fact.row.position for fact in story.facts}
    cast = story.cast
    for fact in story.facts:
        row = fact.row
        yield StepView(
            position=row.position,
            at_s=story.at_s(row.occurred_at),
            event=row.event_type,
            by=cast.speaker(row.actor),
            because_of=positions.get(row.causation_id) if row.causation_id else None,
            call=cast.calls.get(str(row.tool_call_id)),
            approval=cast.approvals.get(str(row.approval_id)),
            turn=cast.pseudonym("turn", row.turn_id) if row.turn_id else None,
            feedback=row.feedback_id,
            details=keep_details(row.event_type, fact.said, cast, story.began, row.capability_id),
        )


def _calls(story: _Story, calls: list[ToolCall]) -> Iterable[TrajectoryCall]:
    tries = list(Attempt.objects.filter(tool_call__in=calls).order_by("number"))
    for call in calls:
        status = CallStatus(call.execution_status)
        proposals = tuple(_proposals(story, call))
        yield TrajectoryCall(
            number=story.cast.calls[str(call.pk)],
            capability=call.capability,
            intent=story.cast.pseudonym("intent", call.intent),
            epoch=call.epoch,
            retry_of=story.cast.calls.get(str(call.retry_of_id)),
            proposals=proposals,
            decisions=tuple(_decisions(story, call)),
            attempts=tuple(_try(each) for each in tries if each.tool_call_id == call.pk),
            look_ups=call.looked_up,
            was_unknown=call.was_unknown,
            execution=status,
            verification=VerificationStatus(call.verification_status),
            refusal=keep_code(call.error_code) if status in CALL_WITHOUT_EFFECT else None,
            confirmed_after_s=_confirmed_after_s(story, call, proposals),
        )


def _proposals(story: _Story, call: ToolCall) -> Iterable[AskedView]:
    cast = story.cast
    for fact in story.about(call):
        if fact.type in ASKED and fact.said:
            said = fact.said
            yield AskedView(
                position=fact.row.position,
                at_s=story.at_s(fact.row.occurred_at),
                revision=said["revision"],
                amount_minor=said["amount_minor"],
                currency=said["currency"],
                target=cast.pseudonym("payment", said["target"]),
                effect=cast.pseudonym("digest", said["digest"]),
                arguments=keep_arguments(said["arguments"], cast, call.capability),
                evidence=len(said["evidence"]),
            )


def _decisions(story: _Story, call: ToolCall) -> Iterable[DecidedView]:
    asked: dict[Any, _Fact] = {}
    for fact in story.about(call):
        if fact.type in QUESTIONS:
            asked[fact.row.approval_id] = fact
        question = asked.get(fact.row.approval_id)
        if fact.type == "approval.voted" and fact.said and question is not None:
            yield DecidedView(
                position=fact.row.position,
                at_s=story.at_s(fact.row.occurred_at),
                after_s=seconds(fact.row.occurred_at, question.row.occurred_at),
                by=story.cast.speaker(fact.row.actor),
                decision=fact.said["decision"],
                reason_code=fact.said["reason_code"],
                purpose=QUESTIONS[question.type],
            )


def _try(attempt: Attempt) -> TriedView:
    close = None if attempt.close is None else AttemptClose(attempt.close)
    return TriedView(number=attempt.number, sent=attempt.sent_at is not None, close=close)


def _confirmed_after_s(
    story: _Story, call: ToolCall, proposals: tuple[AskedView, ...]
) -> float | None:
    """How long it took from the first proposal until the effect was seen."""
    seen = [fact for fact in story.about(call) if fact.type == CONFIRMED]
    if not seen or not proposals:
        return None
    return round(story.at_s(seen[0].row.occurred_at) - proposals[0].at_s, 3)


def _commands(story: _Story) -> Iterable[CommandedView]:
    cast = story.cast
    about = [str(story.run.pk), *cast.calls, *cast.approvals]
    receipts = Receipt.objects.filter(workspace=story.run.workspace_id, target__in=about)
    for receipt in receipts.order_by("received_at", "pk"):
        yield CommandedView(
            at_s=story.at_s(receipt.received_at),
            kind=receipt.kind,
            by=cast.speaker(str(receipt.actor_id)),
            status=receipt.status,
            code=receipt.code,
            positions=tuple(receipt.event_positions),
        )
