"""One tool call and its attempts, field for field as the API gives them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from console.view_models.approvals import ApprovalView, EffectView, EvidenceView
from console.view_models.cases import CaseView
from console.view_models.phrases import CLOSED, RECONCILIATION
from console.view_models.words import EXECUTION, OUTCOME, Word
from runtime.states import (
    AttemptClose,
    AttemptStatus,
    CallStatus,
    ReconciliationStatus,
    VerificationStatus,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldView:
    """What the agent is told about its call."""

    status: str
    sentence: str
    note: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptView:
    id: UUID
    number: int
    status: AttemptStatus
    close: AttemptClose | None
    code: str | None
    opened_at: datetime
    sent_at: datetime | None
    closed_at: datetime | None

    @property
    def ended(self) -> str:
        return CLOSED[self.close] if self.close else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallView:
    id: UUID
    run: UUID
    position: int
    turn_id: str | None
    capability: str
    intent: str
    epoch: int
    revision: int
    retry_of: UUID | None
    arguments: dict[str, Any] | None
    digest: str
    execution_status: CallStatus
    verification_status: VerificationStatus
    reconciliation_status: ReconciliationStatus
    idempotency_key: str
    external_request_id: str | None
    result_ref: str | None
    approval: UUID | None
    dispatched_at: datetime | None
    accepted_at: datetime | None
    last_error: str | None
    attempts: tuple[AttemptView, ...]
    told: ToldView
    case: CaseView | None = None
    artifact: UUID | None = None

    @property
    def execution(self) -> Word:
        return EXECUTION[self.execution_status]

    @property
    def outcome(self) -> Word:
        return OUTCOME[self.verification_status]

    @property
    def reconciliation(self) -> str:
        return RECONCILIATION[self.reconciliation_status]


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementView:
    """What somebody said about a call, and what they showed for it."""

    by: str
    sentence: str
    at: datetime
    reason: str
    evidence: tuple[EvidenceView, ...]
    approval: UUID | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallCard:
    """A call with its effect in words, the approval it hangs on and what people said. Page only."""

    call: CallView
    effect: EffectView
    approval: ApprovalView | None
    statements: tuple[StatementView, ...] = ()
