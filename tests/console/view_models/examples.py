"""Approvals, calls and runs to look at, in any state."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

from approvals.states import ApprovalStatus, Decision, Purpose, ReasonCode
from console.view_models.approvals import (
    ApprovalCard,
    ApprovalDerived,
    ApprovalView,
    BehindView,
    EffectView,
    EvidenceView,
    PolicyView,
    PreconditionView,
    ReasoningView,
    SettledView,
    VotesView,
    VoteView,
)
from console.view_models.calls import AttemptView, CallCard, CallView, ToldView
from console.view_models.money import money_view
from console.view_models.runs import (
    BlockedView,
    ProgressView,
    RunDerived,
    RunView,
    VerifiedView,
)
from runtime.states import (
    AttemptClose,
    AttemptStatus,
    CallStatus,
    ReconciliationStatus,
    RunStatus,
    VerificationStatus,
)

NOW = datetime(2026, 3, 12, 9, 14, 7, tzinfo=UTC)
RUN = UUID("019577aa-0000-7000-8000-00000000a001")


def an_id(number: int) -> UUID:
    return UUID(int=RUN.int + number)


def an_effect(minor=5800, currency="USD", also=()) -> EffectView:
    amount = money_view(minor, currency)
    return EffectView(
        sentence=f"Refund {amount.display} to Mara Lindqvist for order-001",
        amount=amount,
        target="pi_3QxT7LKz9f2mNa0R1b",
        also=also,
    )


def an_approval(number=1, status=ApprovalStatus.PENDING, **changes) -> ApprovalView:
    approval = ApprovalView(
        id=an_id(number),
        run=RUN,
        tool_call=an_id(number + 100),
        position=7,
        purpose=Purpose.EFFECT,
        settlement=None,
        status=status,
        revision=1,
        digest="9f2c4d1ab07e5c3388d1f6a2e4b9c07d5510fa3e6c2b1d9478aa03c5e7f1b264",
        capability="refund-payment@1",
        effect=an_effect(),
        risk="One person decides; below the hold threshold",
        policy=PolicyView(name="refunds", version=1, decision_id=an_id(900)),
        decide_by=NOW + timedelta(minutes=46),
        use_by=None,
        hold_until=None,
        votes=VotesView(needed=1, cast=()),
        preconditions=(
            a_check("The payment is captured and not disputed"),
            a_check("The remainder covers the amount", "$100.00 captured, $42.00 refunded"),
        ),
        reasoning=ReasoningView(
            summary=(
                "The parcel arrived with a broken lid. The customer sent two photos within the "
                "14-day window and asks for the price of the lid only, not of the whole set."
            ),
            evidence=(
                EvidenceView(
                    label="Ticket 4711",
                    text="“The glass lid was cracked when I opened the box.”",
                    url="https://desk.example.com/tickets/4711",
                ),
                EvidenceView(label="Price list", text="Lid 24 cm: $58.00", url=None),
            ),
        ),
        settled=None,
        view=ApprovalDerived(
            banner="", can_decide=True, cannot_decide_reason=None, can_reject=True
        ),
    )
    if status is not ApprovalStatus.PENDING:
        settled = SettledView(
            status=status, by="senior", at=NOW - timedelta(minutes=3), how="limit_lowered"
        )
        approval = replace(approval, settled=settled, votes=VotesView(needed=1, cast=(a_vote(),)))
    return replace(approval, **changes)


def a_check(name: str, detail: str = "", *, ok: bool = True) -> PreconditionView:
    return PreconditionView(name=name, ok=ok, as_of=NOW - timedelta(seconds=21), detail=detail)


def a_vote(by="senior", decision=Decision.APPROVE) -> VoteView:
    return VoteView(
        by=by,
        decision=decision,
        at=NOW - timedelta(minutes=3),
        reason_code=None if decision is Decision.APPROVE else ReasonCode.WRONG_AMOUNT,
        note="Photos are clear.",
    )


def a_card(approval: ApprovalView | None = None, **changes) -> ApprovalCard:
    card = ApprovalCard(
        approval=approval or an_approval(),
        agent="refund-agent",
        goal="Answer ticket 4711: cracked lid",
        order="order-001",
        requested_at=NOW - timedelta(minutes=14),
        behind=(BehindView(name="admin", because=("agent_owner", "policy_author")),),
    )
    return replace(card, **changes)


def a_call(
    number=101,
    execution=CallStatus.PROPOSED,
    outcome=VerificationStatus.NOT_OBSERVED,
    **changes,
) -> CallView:
    call = CallView(
        id=an_id(number),
        run=RUN,
        position=7,
        turn_id="3",
        capability="refund-payment@1",
        intent="refund:order-001:lid",
        epoch=1,
        revision=1,
        retry_of=None,
        arguments={
            "payment": "pi_3QxT7LKz9f2mNa0R1b",
            "amount": {"minor": 5800, "currency": "USD"},
            "reason": "requested_by_customer",
        },
        digest="9f2c4d1ab07e5c3388d1f6a2e4b9c07d5510fa3e6c2b1d9478aa03c5e7f1b264",
        execution_status=execution,
        verification_status=outcome,
        reconciliation_status=ReconciliationStatus.NOT_REQUIRED,
        idempotency_key="refund:order-001:intent-031",
        external_request_id=None,
        result_ref=None,
        approval=an_id(number - 100),
        dispatched_at=None,
        accepted_at=None,
        last_error=None,
        attempts=(),
        told=ToldView(status="waiting", sentence="A person has to decide first.", note=None),
    )
    return replace(call, **changes)


def a_call_card(call: CallView | None = None, **changes) -> CallCard:
    card = CallCard(call=call or a_call(), effect=an_effect(), approval=an_approval())
    return replace(card, **changes)


def an_attempt(number=1, close: AttemptClose | None = None) -> AttemptView:
    return AttemptView(
        id=an_id(500 + number),
        number=number,
        status=AttemptStatus.CLOSED if close else AttemptStatus.SENT,
        close=close,
        code="timeout" if close is AttemptClose.UNKNOWN else None,
        opened_at=NOW - timedelta(seconds=60),
        sent_at=NOW - timedelta(seconds=59),
        closed_at=NOW - timedelta(seconds=54) if close else None,
    )


def a_run(status=RunStatus.WAITING_FOR_APPROVAL, blocked: str = "", **changes) -> RunView:
    run = RunView(
        reading="run_state",
        schema_version=1,
        id=RUN,
        workspace="demo",
        agent="refund-agent",
        goal="Answer ticket 4711: cracked lid",
        success_criterion="The customer has the price of the lid back, and nothing more.",
        subject={"order_id": "order-001", "ticket": "4711"},
        initiator="support",
        status=status,
        blocked=BlockedView(code=blocked, since=NOW - timedelta(seconds=40)) if blocked else None,
        position=14,
        pending_approvals=(an_id(1),),
        progress=ProgressView(
            verified=(VerifiedView(text="The order exists and was paid", event=3),),
            open=("Refund the lid",),
            next_safe_action="Wait for the decision",
        ),
        view=RunDerived(is_busy=True, can_stop=True),
        started_at=NOW - timedelta(minutes=15),
        ended_at=None,
    )
    return replace(run, **changes)
