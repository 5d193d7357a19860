"""One approval, field for field as the API gives it, and what a page adds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from approvals.states import ApprovalStatus, Decision, Purpose, ReasonCode
from console.view_models.money import MoneyView
from console.view_models.phrases import CHECKS, REASONS
from console.view_models.text import Link, link
from console.view_models.words import QUESTION, Word
from runtime.states import SettledAs


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectView:
    """`sentence` says what would happen; `also` what would happen besides."""

    sentence: str
    amount: MoneyView
    target: str
    also: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyView:
    name: str
    version: int
    decision_id: UUID | None


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteView:
    by: str
    decision: Decision
    at: datetime
    reason_code: ReasonCode | None
    note: str | None

    @property
    def reason(self) -> str:
        return REASONS[self.reason_code] if self.reason_code else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class VotesView:
    needed: int
    cast: tuple[VoteView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PreconditionView:
    """`as_of` is the moment of the observation this was judged on."""

    name: str
    ok: bool | None
    as_of: datetime | None
    detail: str

    @property
    def label(self) -> str:
        return CHECKS.get(self.name, self.name.replace("_", " "))


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceView:
    label: str
    text: str | None
    url: str | None

    @property
    def link(self) -> Link | None:
        return link(self.url) if self.url else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasoningView:
    summary: str
    evidence: tuple[EvidenceView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledView:
    status: ApprovalStatus
    by: str
    at: datetime
    how: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SettlementView:
    """What `by` says became of the call; `result_ref` is the provider's id, if they found it."""

    by: str
    outcome: SettledAs
    result_ref: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalDerived:
    """`can_decide` speaks of approving; `can_reject` may hold where it does not."""

    banner: str
    can_decide: bool
    cannot_decide_reason: str | None
    can_reject: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalView:
    """Of a settlement, `reasoning` is the words of who proposes it."""

    id: UUID
    run: UUID
    tool_call: UUID
    position: int
    purpose: Purpose
    settlement: SettlementView | None
    status: ApprovalStatus
    revision: int
    digest: str
    capability: str
    effect: EffectView
    risk: str
    policy: PolicyView
    decide_by: datetime
    use_by: datetime | None
    hold_until: datetime | None
    votes: VotesView
    preconditions: tuple[PreconditionView, ...]
    reasoning: ReasoningView
    settled: SettledView | None
    view: ApprovalDerived

    @property
    def word(self) -> Word:
        return self.words[self.status]

    @property
    def words(self) -> Mapping[ApprovalStatus, Word]:
        return QUESTION[self.purpose]

    @property
    def headline(self) -> str:
        """What is to be decided, in one sentence."""
        sentence = self.effect.sentence
        if self.settlement is None:
            return sentence
        return f"{self.settlement.by} says that this was executed: {sentence}"


BEHIND: Final[Mapping[str, str]] = {
    "initiator": "started the run",
    "ticket_author": "wrote the ticket",
    "agent_owner": "owns the agent",
    "token_creator": "made the agent's token",
    "proposal_editor": "edited the proposal",
    "policy_author": "wrote the policy",
    "beneficiary_owner": "owns the account that receives the money",
    "settlement_proposer": "says that it was executed",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BehindView:
    """Somebody behind the run, who may therefore not decide."""

    name: str
    because: tuple[str, ...]

    @property
    def sentence(self) -> str:
        return f"{self.name} {_and([BEHIND[why] for why in self.because])}"


def _and(parts: list[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalCard:
    """An approval with what a reviewer needs beside it. Page only."""

    approval: ApprovalView
    agent: str
    goal: str
    order: str
    requested_at: datetime
    behind: tuple[BehindView, ...]
    successor: UUID | None = None
