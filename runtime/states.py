"""Where a run, a call and an attempt can be, and every move between those places."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One row of a transition table; `source` None is the row's first appearance."""

    source: str | None
    target: str
    cause: str
    events: tuple[str, ...]


Moves = Mapping[str | None, frozenset[str]]


def targets(table: Iterable[Move]) -> Moves:
    """Group a table by source: what the code, the triggers and the tests look up."""
    grouped: dict[str | None, set[str]] = {}
    for move in table:
        grouped.setdefault(move.source, set()).add(move.target)
    return {source: frozenset(found) for source, found in grouped.items()}


class CallStatus(StrEnum):
    PROPOSED = "proposed"
    AUTHORIZED = "authorized"
    REFUSED = "refused"
    CANCELLED = "cancelled"
    DISPATCHING = "dispatching"
    ABORTED = "aborted"
    ACCEPTED = "accepted"
    COMPLETED = "completed"
    FAILED = "failed"
    RESULT_UNKNOWN = "result_unknown"
    RECONCILING = "reconciling"
    MANUAL_HANDOFF = "manual_handoff"


class VerificationStatus(StrEnum):
    """What has been observed of the outcome, whatever the call itself answered."""

    NOT_OBSERVED = "not_observed"
    PENDING = "pending"
    CONFIRMED_SUCCESS = "confirmed_success"
    CONFIRMED_FAILURE = "confirmed_failure"
    INCONCLUSIVE = "inconclusive"


class TermKind(StrEnum):
    """What a run is found by; each is somebody else's name for something of it."""

    INTENT = "intent"
    PAYMENT = "payment"
    REQUEST = "request"
    RESULT = "result"


class ReconciliationStatus(StrEnum):
    NOT_REQUIRED = "not_required"
    PENDING = "pending"
    RESOLVED = "resolved"
    MANUAL = "manual"


class AttemptStatus(StrEnum):
    OPENED = "opened"
    SENT = "sent"
    CLOSED = "closed"


class AttemptClose(StrEnum):
    """Why an attempt is over."""

    ANSWERED = "answered"
    UNKNOWN = "unknown"
    THROTTLED = "throttled"
    MISCONFIGURED = "misconfigured"
    NEVER_SENT = "never_sent"


class SettledAs(StrEnum):
    """What people may say became of a call on their desk."""

    COMPLETED = "completed"
    FAILED = "failed"
    NOT_EXECUTED = "not_executed"


class HeldUp(StrEnum):
    """What outside keeps a call from going on."""

    FACTS_UNREADABLE = "facts_unreadable"
    THROTTLED = "throttled"
    MISCONFIGURED = "provider_misconfigured"


class CaseKind(StrEnum):
    """What turned out to be otherwise than it was said to be."""

    FAILED_AFTER_SUCCESS = "failed_after_success"
    EFFECT_AFTER_FAILURE = "effect_after_failure"


# Why a look-up said nothing: the call stays held up until one says something.
LOOK_UP_UNAVAILABLE: Final = "look_up_unavailable"


class RunStatus(StrEnum):
    STOPPED = "stopped"
    FAILED = "failed"
    COMPLETED = "completed"
    STOPPING = "stopping"
    SESSION_IN_DOUBT = "session_in_doubt"
    AWAITING_RECONCILIATION = "awaiting_reconciliation"
    WAITING_FOR_APPROVAL = "waiting_for_approval"
    RUNNING = "running"


C = CallStatus
V = VerificationStatus
A = AttemptStatus


def _moves(
    sources: Iterable[str | None], goals: Iterable[str], cause: str, *events: str
) -> tuple[Move, ...]:
    goals = tuple(goals)
    return tuple(
        Move(source=source, target=goal, cause=cause, events=events)
        for source in sources
        for goal in goals
    )


def _settled(sources: Iterable[str], cause: str, *events: str) -> tuple[Move, ...]:
    """A place from which somebody's word can settle a call."""
    sources = tuple(sources)
    return (
        *_moves(sources, [C.ACCEPTED], cause, "tool.call.accepted"),
        *_moves(sources, [C.COMPLETED], cause, *events, "tool.call.completed"),
        *_moves(sources, [C.FAILED], cause, *events, "tool.call.failed"),
    )


CALL_MOVES: Final = (
    *_moves([None], [C.PROPOSED], "proposal accepted", "tool.call.proposed"),
    *_moves(
        [C.PROPOSED],
        [C.PROPOSED],
        "arguments revised; the open approval is superseded",
        "tool.call.revised",
    ),
    *_moves(
        [C.PROPOSED],
        [C.AUTHORIZED],
        "the policy says go, or the approval is granted",
        "tool.call.authorized",
    ),
    *_moves(
        [C.PROPOSED],
        [C.REFUSED],
        "the policy says never; a reviewer rejected; nobody decided in time",
        "tool.call.refused",
    ),
    *_moves(
        [C.PROPOSED, C.AUTHORIZED],
        [C.CANCELLED],
        "the agent withdrew; the run stopped or ended; an admin cancelled the question",
        "tool.call.cancelled",
    ),
    *_moves(
        [C.AUTHORIZED],
        [C.PROPOSED],
        "the grant was invalidated because a person or a policy changed",
        "tool.call.authorization_lost",
    ),
    *_moves(
        [C.AUTHORIZED],
        [C.REFUSED],
        "grant revoked; grant expired unused; the world changed",
        "tool.call.refused",
    ),
    *_moves([C.AUTHORIZED], [C.DISPATCHING], "the approval is spent", "tool.call.dispatching"),
    *_moves(
        [C.DISPATCHING],
        [C.DISPATCHING],
        "an attempt closed without effect, the next one opened",
        "tool.attempt.closed",
        "tool.attempt.opened",
    ),
    *_moves(
        [C.DISPATCHING],
        [C.ABORTED],
        "the run is stopping or facts changed, and nothing was ever sent",
        "tool.call.aborted",
    ),
    *_moves(
        [C.RESULT_UNKNOWN, C.RECONCILING],
        [C.DISPATCHING],
        "looked up and not found, key alive, run not stopping: same key again",
        "tool.attempt.opened",
    ),
    *_settled([C.DISPATCHING], "the provider's own answer, or a webhook naming our reference"),
    *_moves(
        [C.DISPATCHING, C.ACCEPTED],
        [C.RESULT_UNKNOWN],
        "no usable answer; a dead lease on a sent attempt",
        "tool.call.result_unknown",
    ),
    *_moves([C.RESULT_UNKNOWN], [C.RECONCILING], "look-up begins", "tool.call.reconciling"),
    *_settled([C.RECONCILING], "look-up"),
    *_moves(
        [C.RECONCILING],
        [C.MANUAL_HANDOFF],
        "the look-up is ambiguous",
        "tool.call.handed_off",
    ),
    *_moves(
        [C.RECONCILING],
        [C.RESULT_UNKNOWN],
        "look-up unavailable or too early; the next one comes by timer",
        "tool.call.result_unknown",
    ),
    *_settled(
        [C.MANUAL_HANDOFF],
        "a settlement by people (not to accepted), or a late webhook or answer",
        "tool.call.settled",
    ),
    *_moves(
        [C.ACCEPTED],
        [C.COMPLETED],
        "the provider says so later, or a person saw the outcome",
        "tool.call.completed",
    ),
    *_moves(
        [C.ACCEPTED],
        [C.FAILED],
        "the provider says so later, or a person saw the outcome",
        "tool.call.failed",
    ),
)

ATTEMPT_MOVES: Final = (
    *_moves([None], [A.OPENED], "the intent to send is on record", "tool.attempt.opened"),
    *_moves([A.OPENED], [A.SENT], "the request is about to leave", "tool.attempt.sent"),
    *_moves([A.OPENED, A.SENT], [A.CLOSED], "answered, or given up", "tool.attempt.closed"),
)

VERIFICATION_MOVES: Final = (
    *_moves([None], [V.NOT_OBSERVED], "proposal accepted", "tool.call.proposed"),
    *_moves([V.NOT_OBSERVED], [V.PENDING], "the provider has it: not proof yet", "outcome.pending"),
    *_moves(
        [V.PENDING, V.INCONCLUSIVE, V.CONFIRMED_FAILURE],
        [V.CONFIRMED_SUCCESS],
        "a later read, a webhook or a person's observation",
        "outcome.confirmed_success",
    ),
    *_moves(
        [V.PENDING, V.INCONCLUSIVE, V.CONFIRMED_SUCCESS],
        [V.CONFIRMED_FAILURE],
        "a later read, a webhook or a person's observation",
        "outcome.confirmed_failure",
    ),
    *_moves([V.PENDING], [V.INCONCLUSIVE], "the effect is not to be seen", "outcome.inconclusive"),
    *_moves(
        [V.NOT_OBSERVED],
        [V.INCONCLUSIVE],
        "people settled the call as completed; nobody has seen the effect",
        "outcome.inconclusive",
    ),
)

CALL_NEXT: Final = targets(CALL_MOVES)
ATTEMPT_NEXT: Final = targets(ATTEMPT_MOVES)
VERIFICATION_NEXT: Final = targets(VERIFICATION_MOVES)

# Nothing more will be executed for a call in one of these.
CALL_FINAL: Final = frozenset({C.REFUSED, C.CANCELLED, C.ABORTED, C.COMPLETED, C.FAILED})
# The call ended and provably moved nothing, so its intent may be tried again.
CALL_WITHOUT_EFFECT: Final = frozenset({C.REFUSED, C.CANCELLED, C.ABORTED, C.FAILED})
CALL_IN_DOUBT: Final = frozenset({C.RESULT_UNKNOWN, C.RECONCILING, C.MANUAL_HANDOFF})
RUN_ENDED: Final = frozenset({RunStatus.STOPPED, RunStatus.FAILED, RunStatus.COMPLETED})


def reconciliation_status(status: CallStatus, *, was_unknown: bool) -> ReconciliationStatus:
    match status:
        case CallStatus.RESULT_UNKNOWN | CallStatus.RECONCILING:
            return ReconciliationStatus.PENDING
        case CallStatus.MANUAL_HANDOFF:
            return ReconciliationStatus.MANUAL
        case _ if was_unknown:
            return ReconciliationStatus.RESOLVED
        case _:
            return ReconciliationStatus.NOT_REQUIRED
