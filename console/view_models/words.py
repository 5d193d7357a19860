"""The words, tone and shape in which every status is shown; never colour alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from approvals.states import ApprovalStatus, Purpose
from runtime.states import CallStatus, RunStatus, VerificationStatus


class Tone(StrEnum):
    ASK = "ask"
    GO = "go"
    DONE = "done"
    STOP = "stop"
    DOUBT = "doubt"
    QUIET = "quiet"


class Shape(StrEnum):
    """A symbol in static/icons.svg."""

    RING = "ring"
    HALF = "half"
    ARROW = "arrow"
    CHECK = "check"
    CROSS = "cross"
    DASH = "dash"
    CLOCK = "clock"
    PAUSE = "pause"
    QUESTION = "question"
    LENS = "lens"
    HAND = "hand"
    TURN = "turn"


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """`text` names a status; `meaning` is the sentence that keeps it from being misread."""

    text: str
    tone: Tone
    shape: Shape
    meaning: str


def _word(text: str, tone: Tone, shape: Shape, meaning: str) -> Word:
    return Word(text=text, tone=tone, shape=shape, meaning=meaning)


EXECUTION: Final[Mapping[CallStatus, Word]] = {
    CallStatus.PROPOSED: _word(
        "Proposed", Tone.QUIET, Shape.RING, "Nothing has left. It is not authorized."
    ),
    CallStatus.AUTHORIZED: _word(
        "Authorized, not sent", Tone.GO, Shape.HALF, "It may leave. Nothing has left yet."
    ),
    CallStatus.REFUSED: _word(
        "Refused", Tone.STOP, Shape.CROSS, "Someone with authority said no. Nothing was sent."
    ),
    CallStatus.CANCELLED: _word(
        "Cancelled", Tone.QUIET, Shape.DASH, "Whoever wanted it no longer does. Nothing was sent."
    ),
    CallStatus.DISPATCHING: _word(
        "Being sent", Tone.GO, Shape.ARROW, "The intent to send is on record. No answer yet."
    ),
    CallStatus.ABORTED: _word(
        "Pulled back", Tone.QUIET, Shape.TURN, "Pulled back in time. The provider executed nothing."
    ),
    CallStatus.ACCEPTED: _word(
        "Accepted by the provider", Tone.GO, Shape.HALF, "The provider has it and is not done."
    ),
    CallStatus.COMPLETED: _word(
        "Completed", Tone.GO, Shape.CHECK, "Nothing is left to execute. It is no proof of payment."
    ),
    CallStatus.FAILED: _word(
        "Failed", Tone.STOP, Shape.CROSS, "The provider said no, or nothing was executed."
    ),
    CallStatus.RESULT_UNKNOWN: _word(
        "Result unknown", Tone.DOUBT, Shape.QUESTION, "The answer was lost. It is looked up next."
    ),
    CallStatus.RECONCILING: _word(
        "Looking it up", Tone.DOUBT, Shape.LENS, "The provider is being asked what it has."
    ),
    CallStatus.MANUAL_HANDOFF: _word(
        "Needs a person", Tone.ASK, Shape.HAND, "No look-up can tell. An admin settles it."
    ),
}

OUTCOME: Final[Mapping[VerificationStatus, Word]] = {
    VerificationStatus.NOT_OBSERVED: _word(
        "Not observed", Tone.QUIET, Shape.RING, "Nobody has seen an effect."
    ),
    VerificationStatus.PENDING: _word(
        "Waiting for confirmation", Tone.GO, Shape.HALF, "The provider has it. That is no proof."
    ),
    VerificationStatus.CONFIRMED_SUCCESS: _word(
        "Refunded, confirmed", Tone.DONE, Shape.CHECK, "A later read, webhook or person saw it."
    ),
    VerificationStatus.CONFIRMED_FAILURE: _word(
        "Not refunded, confirmed", Tone.STOP, Shape.CROSS, "The money did not arrive."
    ),
    VerificationStatus.INCONCLUSIVE: _word(
        "Inconclusive", Tone.DOUBT, Shape.QUESTION, "Whether the money moved cannot be seen."
    ),
}

APPROVAL: Final[Mapping[ApprovalStatus, Word]] = {
    ApprovalStatus.PENDING: _word(
        "Waiting for a decision", Tone.ASK, Shape.RING, "Nothing leaves until someone decides."
    ),
    ApprovalStatus.GRANTED: _word(
        "Approved, not yet sent", Tone.GO, Shape.HALF, "It is checked once more before it leaves."
    ),
    ApprovalStatus.CONSUMED: _word(
        "Approved and used", Tone.GO, Shape.CHECK, "Spent on one dispatch. It cannot be used again."
    ),
    ApprovalStatus.REJECTED: _word(
        "Rejected", Tone.STOP, Shape.CROSS, "A reviewer said no. Nothing was sent."
    ),
    ApprovalStatus.EXPIRED: _word(
        "Expired", Tone.STOP, Shape.CLOCK, "Time ran out. Nothing expires into a yes."
    ),
    ApprovalStatus.CANCELLED: _word(
        "Cancelled", Tone.QUIET, Shape.DASH, "The question was withdrawn. Nothing was sent."
    ),
    ApprovalStatus.SUPERSEDED: _word(
        "Replaced", Tone.QUIET, Shape.TURN, "The agent changed the proposal. Decide the new one."
    ),
    ApprovalStatus.REVOKED: _word(
        "Revoked", Tone.STOP, Shape.TURN, "The approval was taken back before it was used."
    ),
    ApprovalStatus.INVALIDATED: _word(
        "No longer valid", Tone.STOP, Shape.CROSS, "Something changed after it was approved."
    ),
}

# The same, where what is asked is whether a call was executed.
SETTLEMENT: Final[Mapping[ApprovalStatus, Word]] = {
    **APPROVAL,
    ApprovalStatus.PENDING: _word(
        "Waiting for another admin", Tone.ASK, Shape.HAND, "Nothing is sent, whatever they say."
    ),
    ApprovalStatus.GRANTED: _word(
        "Confirmed", Tone.GO, Shape.CHECK, "A second admin says that it was executed."
    ),
    ApprovalStatus.CONSUMED: _word(
        "Confirmed", Tone.GO, Shape.CHECK, "Two admins say that it was executed. It is no proof."
    ),
    ApprovalStatus.REJECTED: _word(
        "Not confirmed", Tone.STOP, Shape.CROSS, "Another admin said no. The call was not settled."
    ),
    ApprovalStatus.EXPIRED: _word(
        "Expired", Tone.STOP, Shape.CLOCK, "No other admin answered. The call was not settled."
    ),
    ApprovalStatus.CANCELLED: _word(
        "Cancelled", Tone.QUIET, Shape.DASH, "The question needs no answer any more."
    ),
}
QUESTION: Final[Mapping[Purpose, Mapping[ApprovalStatus, Word]]] = {
    Purpose.EFFECT: APPROVAL,
    Purpose.SETTLEMENT: SETTLEMENT,
}

RUN: Final[Mapping[RunStatus, Word]] = {
    RunStatus.RUNNING: _word("Running", Tone.GO, Shape.ARROW, "The agent is at work."),
    RunStatus.WAITING_FOR_APPROVAL: _word(
        "Waiting for a decision", Tone.ASK, Shape.RING, "The agent waits until someone decides."
    ),
    RunStatus.AWAITING_RECONCILIATION: _word(
        "Waiting for a result", Tone.DOUBT, Shape.LENS, "A result is unknown and is looked up."
    ),
    RunStatus.SESSION_IN_DOUBT: _word(
        "Session in doubt", Tone.DOUBT, Shape.QUESTION, "Its history differs. An admin repairs it."
    ),
    RunStatus.STOPPING: _word(
        "Stopping", Tone.STOP, Shape.PAUSE, "Nothing new begins. What is open is being closed."
    ),
    RunStatus.STOPPED: _word("Stopped", Tone.QUIET, Shape.DASH, "Someone stopped it."),
    RunStatus.COMPLETED: _word("Ended", Tone.QUIET, Shape.CHECK, "The agent finished its work."),
    RunStatus.FAILED: _word("Failed", Tone.STOP, Shape.CROSS, "The run broke off."),
}
