"""What an agent is told about its call: enough to go on, never more than is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from console.view_models.calls import ToldView
from runtime.states import CallStatus, CaseKind, VerificationStatus

SENTENCES: Final[Mapping[CallStatus, str]] = {
    CallStatus.PROPOSED: "Waiting for a person to decide. Do not treat this as approved.",
    CallStatus.AUTHORIZED: "Approved. It has not been sent yet.",
    CallStatus.REFUSED: "Refused. Nothing was sent.",
    CallStatus.CANCELLED: "Cancelled. Nothing was sent.",
    CallStatus.DISPATCHING: "Being sent. No answer yet.",
    CallStatus.ABORTED: "Pulled back before it left. Nothing was sent.",
    CallStatus.ACCEPTED: "Sent and accepted, not confirmed.",
    CallStatus.COMPLETED: "Sent and completed, not confirmed.",
    CallStatus.FAILED: "It failed. Nothing was executed.",
    CallStatus.RESULT_UNKNOWN: "Sent, result unknown. Do not try again by other means.",
    CallStatus.RECONCILING: "Sent, result unknown; the provider is being asked.",
    CallStatus.MANUAL_HANDOFF: "Sent, result unknown; a person has to settle it.",
}
CONFIRMED: Final[Mapping[VerificationStatus, str]] = {
    VerificationStatus.CONFIRMED_SUCCESS: "Confirmed: the effect took place.",
    VerificationStatus.CONFIRMED_FAILURE: "Confirmed: the effect did not take place.",
}


CASES: Final[Mapping[CaseKind, str]] = {
    CaseKind.FAILED_AFTER_SUCCESS: (
        "It failed after it was confirmed: the effect did not last. A person looks after it; "
        "do not try again by other means."
    ),
    CaseKind.EFFECT_AFTER_FAILURE: (
        "It ended without effect, as it seemed, and an effect was seen since. A person looks "
        "after it; do not try again by other means."
    ),
}


def told(
    execution: CallStatus,
    verification: VerificationStatus,
    *,
    case: CaseKind | None,
    why: str | None,
    note: str | None,
) -> ToldView:
    """`why` is the recorded reason of an end without effect; `note` a reviewer's words."""
    known = CONFIRMED.get(verification) or SENTENCES[execution]
    sentence = CASES[case] if case else known
    return ToldView(
        status=execution.value, sentence=f"{sentence} {why}" if why else sentence, note=note
    )
