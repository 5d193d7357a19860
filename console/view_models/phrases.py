"""What stored codes say to a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from approvals.states import ReasonCode
from runtime.states import AttemptClose, ReconciliationStatus

REASONS: Final[Mapping[ReasonCode, str]] = {
    ReasonCode.DUPLICATE: "Duplicate of another refund",
    ReasonCode.EVIDENCE_MISSING: "Evidence is missing",
    ReasonCode.WRONG_AMOUNT: "The amount is wrong",
    ReasonCode.NOT_ENTITLED: "The customer is not entitled",
    ReasonCode.SUSPECTED_FRAUD: "Suspected fraud",
    ReasonCode.OTHER: "Other",
}

BLOCKED: Final[Mapping[str, str]] = {
    "hold": "The approval is held for a moment, so that it can be taken back.",
    "facts_unreadable": "The payment cannot be read at the provider right now. It is tried again.",
    "throttled": "The provider asked us to slow down. It is tried again, with the same key.",
    "provider_misconfigured": "The provider refused our credentials. An admin has to fix them.",
    "no_dispatch_worker": "No dispatch worker is heard. Nothing leaves until one is back.",
    "log_unreadable": "A newer version of this program has written to the log of this run, and "
    "this one cannot read it. Nothing is done here until the program is brought up to date.",
    "no_relay": "No relay is heard. Timers and wake-ups stand still until one is back.",
}

CHECKS: Final[Mapping[str, str]] = {
    "payment_exists": "the payment exists",
    "same_currency": "it is in the same currency",
    "not_disputed": "nobody disputes it",
    "within_remainder": "enough of it is left",
}

CLOSED: Final[Mapping[AttemptClose, str]] = {
    AttemptClose.ANSWERED: "answered",
    AttemptClose.UNKNOWN: "no usable answer",
    AttemptClose.THROTTLED: "the provider asked us to slow down",
    AttemptClose.MISCONFIGURED: "the provider refused our credentials",
    AttemptClose.NEVER_SENT: "provably never sent",
}

RECONCILIATION: Final[Mapping[ReconciliationStatus, str]] = {
    ReconciliationStatus.NOT_REQUIRED: "not needed",
    ReconciliationStatus.PENDING: "under way",
    ReconciliationStatus.RESOLVED: "resolved",
    ReconciliationStatus.MANUAL: "by a person",
}

# Why a grant stopped holding before it was used, or a question before it was answered.
LOST: Final[Mapping[str, str]] = {
    "policy_withdrawn": "The policy version was withdrawn.",
    "policy_changed": "Another policy version is in force now.",
    "votes_missing": "Fewer people stand behind it than it needs.",
    "approver_left": "An approver is no longer an active reviewer.",
    "conflict_of_interest": "An approver stands behind the run.",
    "limit_lowered": "An approver's limit no longer covers it.",
    "arguments_changed": "The arguments are not the ones that were approved.",
    "call_settled": "The call was settled otherwise.",
    "question_cancelled": "It was withdrawn.",
}
