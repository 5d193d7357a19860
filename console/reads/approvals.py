"""Approvals as pages and programs see them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from approvals.models import Approval, Vote
from approvals.states import ApprovalStatus, Decision, Purpose, ReasonCode
from console.reads.effects import (
    arguments_shown,
    effect_of,
    evidence_of,
    evidence_texts,
    preconditions_of,
    reasoning_of,
    reasoning_texts,
)
from console.reads.lookup import SYSTEM, Texts, actors_of, names_of, positions_of
from console.reads.subjects import Subjects
from console.view_models.approvals import (
    ApprovalCard,
    ApprovalDerived,
    ApprovalView,
    BehindView,
    PolicyView,
    PreconditionView,
    ReasoningView,
    SettledView,
    SettlementView,
    VotesView,
    VoteView,
)
from console.view_models.banner import approval_banner
from console.view_models.bar import Viewer, decision_bar
from runtime.event_log import database_now
from runtime.states import SettledAs

RELATED = ("run", "tool_call", "policy")
NOBODY_LOOKS: Final = ApprovalDerived(
    banner="", can_decide=False, cannot_decide_reason=None, can_reject=False
)


class _Around:
    """Everything around a set of approvals, in a fixed number of queries."""

    def __init__(self, approvals: Sequence[Approval], *, masked: bool) -> None:
        self.now = database_now()
        calls = [approval.tool_call for approval in approvals]
        self.positions = positions_of(calls)
        self.arguments = arguments_shown(approvals, masked=masked)
        self.preconditions = preconditions_of(calls, self.now)
        self.votes: dict[UUID, list[Vote]] = defaultdict(list)
        for vote in Vote.objects.filter(approval__in=approvals).order_by("pk"):
            self.votes[vote.approval_id].append(vote)
        cast = [vote for votes in self.votes.values() for vote in votes]
        behind = {UUID(one["person"]) for approval in approvals for one in approval.conflicts}
        self.names = names_of(behind | {vote.person_id for vote in cast})
        claims = [approval.claim for approval in approvals if approval.claim]
        settlers = [approval.settled_by for approval in approvals]
        self.actors = actors_of([*settlers, *(claim["by"] for claim in claims)])
        goals = [approval.run.goal for approval in approvals]
        notes = [vote.note for vote in cast]
        said = [*reasoning_texts(calls), *_claimed_texts(claims)]
        self.texts = Texts([*goals, *notes, *said], masked=masked)
        self.subjects = Subjects(approval.run for approval in approvals)


def approval_cards(approvals: Sequence[Approval], *, masked: bool) -> list[ApprovalCard]:
    """Answer cards in the order given: the same for everybody who may see as much."""
    around = _Around(approvals, masked=masked)
    return [_card(approval, around) for approval in approvals]


def approvals_of(
    approvals: Sequence[Approval], *, masked: bool, viewers: Mapping[UUID, Viewer]
) -> list[ApprovalView]:
    """Answer views in the order given, each with what its viewer may do about it."""
    around = _Around(approvals, masked=masked)
    return [seen(_card(one, around), viewers[one.pk], around.now) for one in approvals]


def seen(card: ApprovalCard, viewer: Viewer, now: datetime) -> ApprovalView:
    """The same approval as one viewer sees it."""
    bar = decision_bar(card, viewer, now)
    derived = replace(
        card.approval.view,
        can_decide=bar.can_approve,
        cannot_decide_reason=bar.cannot_approve_reason,
        can_reject=bar.can_reject,
    )
    return replace(card.approval, view=derived)


def _card(approval: Approval, around: _Around) -> ApprovalCard:
    run = approval.run
    return ApprovalCard(
        approval=_view(approval, around),
        agent=run.agent,
        goal=around.texts.say(run.goal),
        order=around.subjects.order(run),
        requested_at=approval.requested_at,
        behind=_behind(approval, around),
        successor=approval.successor,
    )


def _view(approval: Approval, around: _Around) -> ApprovalView:
    call = approval.tool_call
    view = ApprovalView(
        id=approval.pk,
        run=approval.run_id,
        tool_call=call.pk,
        position=around.positions.get(call.pk, 0),
        purpose=Purpose(approval.purpose),
        settlement=_settlement(approval, around),
        status=ApprovalStatus(approval.status),
        revision=approval.revision,
        digest=approval.digest,
        capability=call.capability,
        effect=effect_of(call.capability, approval, around.arguments[approval.pk]),
        risk=approval.risk,
        policy=PolicyView(
            name=approval.policy.name,
            version=approval.policy.version,
            decision_id=approval.policy_decision_id,
        ),
        decide_by=approval.decide_by,
        use_by=approval.use_by,
        hold_until=approval.hold_until,
        votes=VotesView(needed=approval.needed, cast=_votes(approval, around)),
        preconditions=_preconditions(approval, around),
        reasoning=_reasoning(approval, around),
        settled=_settled(approval, around),
        view=NOBODY_LOOKS,
    )
    banner = approval_banner(view, around.now)
    return replace(view, view=replace(view.view, banner=f"{banner.title}. {banner.sentence}"))


def _claimed_texts(claims: Iterable[Mapping[str, Any]]) -> Iterator[UUID]:
    for claim in claims:
        yield UUID(claim["reason"])
        yield from evidence_texts(claim["evidence"])


def _settlement(approval: Approval, around: _Around) -> SettlementView | None:
    claim = approval.claim
    if claim is None:
        return None
    return SettlementView(
        by=around.actors[claim["by"]],
        outcome=SettledAs.COMPLETED,
        result_ref=claim["result_ref"],
    )


def _preconditions(approval: Approval, around: _Around) -> tuple[PreconditionView, ...]:
    """Whether it may happen is no question about what has happened."""
    if approval.claim is not None:
        return ()
    return around.preconditions.get(approval.tool_call_id, ())


def _reasoning(approval: Approval, around: _Around) -> ReasoningView:
    """Why it is asked: the agent's words, or those of the admin who says what happened."""
    claim = approval.claim
    if claim is None:
        return reasoning_of(approval.tool_call, around.texts)
    return ReasoningView(
        summary=around.texts.say(UUID(claim["reason"])),
        evidence=evidence_of(claim["evidence"], around.texts),
    )


def _votes(approval: Approval, around: _Around) -> tuple[VoteView, ...]:
    return tuple(
        VoteView(
            by=around.names.get(vote.person_id, "somebody"),
            decision=Decision(vote.decision),
            at=vote.cast_at,
            reason_code=ReasonCode(vote.reason_code) if vote.reason_code else None,
            note=around.texts.get(vote.note),
        )
        for vote in around.votes[approval.pk]
    )


def _behind(approval: Approval, around: _Around) -> tuple[BehindView, ...]:
    reasons: dict[UUID, list[str]] = defaultdict(list)
    for one in approval.conflicts:
        reasons[UUID(one["person"])].append(one["because"])
    return tuple(
        BehindView(name=around.names.get(person, "somebody"), because=tuple(why))
        for person, why in reasons.items()
    )


def _settled(approval: Approval, around: _Around) -> SettledView | None:
    if approval.settled_at is None:
        return None
    return SettledView(
        status=ApprovalStatus(approval.status),
        by=around.actors.get(approval.settled_by or "", SYSTEM),
        at=approval.settled_at,
        how=approval.settled_code or "",
    )
