"""A run as a grader gets it: what was done, decided and seen, and nobody's data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from pydantic import JsonValue

from runtime.states import AttemptClose, CallStatus, RunStatus, VerificationStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class StepView:
    """One fact. `by` is a role and a number within the run, `policy` or `system`.

    `because_of`: the position of the step that led to it. `call` and `approval` are
    numbers within the run; `details` holds what is kept of the fact's own fields.
    """

    position: int
    at_s: float
    event: str
    by: str
    because_of: int | None
    call: int | None
    approval: int | None
    turn: str | None
    feedback: UUID | None
    details: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedView:
    """What the agent proposed, the first time or in a revision."""

    position: int
    at_s: float
    revision: int
    amount_minor: int
    currency: str
    target: str
    effect: str
    arguments: Mapping[str, JsonValue]
    evidence: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidedView:
    """A person's answer; `after_s` since they could give it."""

    position: int
    at_s: float
    after_s: float
    by: str
    decision: str
    reason_code: str | None
    purpose: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedView:
    number: int
    sent: bool
    close: AttemptClose | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TrajectoryCall:
    """`refusal`: why it ended without effect, where it did. `ended_after_s`: since it was asked."""

    number: int
    capability: str
    intent: str
    epoch: int
    retry_of: int | None
    proposals: tuple[AskedView, ...]
    decisions: tuple[DecidedView, ...]
    attempts: tuple[TriedView, ...]
    look_ups: int
    was_unknown: bool
    execution: CallStatus
    verification: VerificationStatus
    refusal: str | None
    confirmed_after_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandedView:
    """A command that reached the run, refused ones too; `positions` of the steps it led to."""

    at_s: float
    kind: str
    by: str
    status: str
    code: str
    positions: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrajectoryView:
    """One run. `counts`: how often each kind of step was taken."""

    reading: str
    schema_version: int
    run: UUID
    agent: str
    harness: str
    order: str | None
    has_goal: bool
    has_success_criterion: bool
    has_ticket: bool
    started_at: datetime
    status: RunStatus
    ended_after_s: float | None
    calls: tuple[TrajectoryCall, ...]
    commands: tuple[CommandedView, ...]
    counts: Mapping[str, int]
    steps: tuple[StepView, ...]
