"""Tool calls as pages and programs see them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from uuid import UUID

from approvals.models import Approval, Vote
from approvals.states import APPROVAL_OPEN, Decision, Purpose
from console.reads.cases import cases_of
from console.reads.effects import arguments_shown, effect_of
from console.reads.lookup import Texts, positions_of
from console.reads.statements import statements_of
from console.view_models.approvals import ApprovalCard, ApprovalView
from console.view_models.calls import AttemptView, CallCard, CallView
from console.view_models.told import told
from runtime.models import Attempt, ToolCall
from runtime.states import (
    CALL_WITHOUT_EFFECT,
    AttemptClose,
    AttemptStatus,
    CallStatus,
    VerificationStatus,
    reconciliation_status,
)


class _Around:
    """Everything around a set of calls, in a fixed number of queries."""

    def __init__(self, calls: Sequence[ToolCall], *, masked: bool) -> None:
        self.positions = positions_of(calls)
        self.arguments = arguments_shown(calls, masked=masked)
        self.cases = cases_of(calls)
        self.attempts: dict[UUID, list[Attempt]] = defaultdict(list)
        for attempt in Attempt.objects.filter(tool_call__in=calls).order_by("number"):
            self.attempts[attempt.tool_call_id].append(attempt)
        # Oldest first and open ones last: what stays is the open one, or else the newest.
        asked = Approval.objects.filter(tool_call__in=calls).order_by("pk")
        ordered = sorted(asked, key=lambda one: one.status in APPROVAL_OPEN)
        self.approvals = {one.tool_call_id: one.pk for one in ordered}
        rejections = Vote.objects.filter(
            approval__in=self.approvals.values(),
            # What admins say to each other about a settlement is not for the agent.
            approval__purpose=Purpose.EFFECT,
            decision=Decision.REJECT,
        )
        notes = dict(rejections.values_list("approval__tool_call_id", "note"))
        texts = Texts(notes.values(), masked=masked)
        self.notes = {call_id: texts.get(note) for call_id, note in notes.items()}


def calls_of(calls: Sequence[ToolCall], *, masked: bool) -> list[CallView]:
    """Answer views in the order given; `masked` hides personal text."""
    around = _Around(calls, masked=masked)
    return [_view(call, around) for call in calls]


def call_cards(
    calls: Sequence[ToolCall], approvals: Iterable[ApprovalCard], *, masked: bool
) -> list[CallCard]:
    """Answer each call with its effect in words and, of those given, the approval it hangs on."""
    known = {card.approval.id: card.approval for card in approvals}
    views = calls_of(calls, masked=masked)
    said = statements_of(calls, masked=masked)
    cards = [_card(call, view, known) for call, view in zip(calls, views, strict=True)]
    return [replace(card, statements=said.get(card.call.id, ())) for card in cards]


def _card(call: ToolCall, view: CallView, approvals: dict[UUID, ApprovalView]) -> CallCard:
    return CallCard(
        call=view,
        effect=effect_of(call.capability, call, view.arguments),
        approval=approvals.get(view.approval) if view.approval else None,
    )


def _view(call: ToolCall, around: _Around) -> CallView:
    execution = CallStatus(call.execution_status)
    verification = VerificationStatus(call.verification_status)
    case = around.cases.get(call.pk)
    why = call.error_detail if execution in CALL_WITHOUT_EFFECT else None
    return CallView(
        id=call.pk,
        run=call.run_id,
        position=around.positions.get(call.pk, 0),
        turn_id=call.turn_id,
        capability=call.capability,
        intent=call.intent,
        epoch=call.epoch,
        revision=call.revision,
        retry_of=call.retry_of_id,
        arguments=around.arguments[call.pk],
        artifact=call.artifact,
        digest=call.digest,
        execution_status=execution,
        verification_status=verification,
        reconciliation_status=reconciliation_status(execution, was_unknown=call.was_unknown),
        idempotency_key=call.idempotency_key,
        external_request_id=call.external_request_id,
        result_ref=call.result_ref,
        approval=around.approvals.get(call.pk),
        dispatched_at=call.dispatched_at,
        accepted_at=call.accepted_at,
        last_error=_last_error(call),
        attempts=tuple(_attempt(one) for one in around.attempts[call.pk]),
        told=told(
            execution,
            verification,
            case=case.kind if case else None,
            why=why,
            note=around.notes.get(call.pk),
        ),
        case=case,
    )


def _last_error(call: ToolCall) -> str | None:
    parts = [part for part in (call.error_code, call.error_detail) if part]
    return ": ".join(parts) or None


def _attempt(attempt: Attempt) -> AttemptView:
    return AttemptView(
        id=attempt.pk,
        number=attempt.number,
        status=AttemptStatus(attempt.status),
        close=AttemptClose(attempt.close) if attempt.close else None,
        code=attempt.code,
        opened_at=attempt.opened_at,
        sent_at=attempt.sent_at,
        closed_at=attempt.closed_at,
    )
