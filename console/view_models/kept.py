"""What a trajectory keeps of each field of a fact, and as what: no field is kept by default."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from typing import Final


class Kept(Enum):
    """How a field is kept; the words of people and of agents never are."""

    AS_IS = auto()  # our own words and numbers
    CODE = auto()  # a short code, which a provider may have chosen
    PSEUDONYM = auto()  # the same for the same value in one workspace, and no way back
    SPEAKER = auto()  # a person as their role and a number within the run
    PRESENCE = auto()  # whether there is one
    COUNT = auto()  # how many
    SECONDS = auto()  # since the run began
    CALL = auto()  # its number within the run
    APPROVAL = auto()  # the same
    ARGUMENTS = auto()  # what the capability's own closed sets say, the rest as pseudonyms
    HEAD = auto()  # a session's revision and count
    STANDINGS = auto()  # how each call stood
    OBJECTIONS = auto()  # which gates stayed shut, and for which call
    REASONS = auto()  # why somebody may not decide, not who
    LEFT_OUT = auto()


K = Kept
# By field, or by event and field where a field means several things.
KEPT: Final[Mapping[str, Kept]] = {
    "about": K.PSEUDONYM,
    "account": K.SPEAKER,
    "action": K.AS_IS,
    "agent": K.PSEUDONYM,
    "amount_minor": K.AS_IS,
    "answer": K.AS_IS,
    "approval": K.APPROVAL,
    "arguments": K.ARGUMENTS,
    "as_of": K.SECONDS,
    "asked": K.AS_IS,
    "batch_count": K.AS_IS,
    "batch_digest": K.LEFT_OUT,
    "before": K.HEAD,
    "by": K.SPEAKER,
    "calls": K.STANDINGS,
    "capability": K.AS_IS,
    "case": K.LEFT_OUT,
    "clock": K.AS_IS,
    "close": K.AS_IS,
    "code": K.CODE,
    "command_id": K.LEFT_OUT,
    "confirmed_by": K.SPEAKER,
    "conflicts": K.REASONS,
    "currency": K.AS_IS,
    "decide_by": K.SECONDS,
    "decide_within_s": K.AS_IS,
    "decision": K.AS_IS,
    "detail": K.LEFT_OUT,
    "digest": K.PSEUDONYM,
    "ended": K.LEFT_OUT,
    "epoch": K.AS_IS,
    "evidence": K.COUNT,
    "external_request_id": K.LEFT_OUT,
    "gates": K.OBJECTIONS,
    "goal": K.PRESENCE,
    "goes_on": K.AS_IS,
    "grant": K.LEFT_OUT,
    "harness": K.AS_IS,
    "head": K.HEAD,
    "hold_until": K.SECONDS,
    "idempotency_key": K.LEFT_OUT,
    "implementation": K.LEFT_OUT,
    "initiator": K.SPEAKER,
    "intent": K.PSEUDONYM,
    "kind": K.AS_IS,
    "lease_token": K.LEFT_OUT,
    "namespace": K.LEFT_OUT,
    "needed": K.AS_IS,
    "not_before": K.SECONDS,
    "note": K.PRESENCE,
    "number": K.AS_IS,
    "observation": K.LEFT_OUT,
    "order_id": K.PSEUDONYM,
    "order_key": K.PSEUDONYM,
    "outcome": K.PRESENCE,
    "owner": K.AS_IS,
    "person": K.SPEAKER,
    "policy": K.PSEUDONYM,
    "policy_name": K.PSEUDONYM,
    "policy_version": K.AS_IS,
    "provider_account": K.LEFT_OUT,
    "reason": K.PRESENCE,
    "reason_code": K.AS_IS,
    "reasoning": K.PRESENCE,
    "result_ref": K.PSEUDONYM,
    "retry_of": K.CALL,
    "revision": K.AS_IS,
    "risk": K.AS_IS,
    "scheme": K.LEFT_OUT,
    "seen": K.LEFT_OUT,
    "serialization": K.AS_IS,
    "session": K.HEAD,
    "source": K.AS_IS,
    "status": K.AS_IS,
    "subject": K.PRESENCE,
    "success_criterion": K.PRESENCE,
    "successor": K.APPROVAL,
    "surface": K.AS_IS,
    "target": K.PSEUDONYM,
    "ticket": K.PRESENCE,
    "ticket_author": K.SPEAKER,
    "token": K.LEFT_OUT,
    "use_by": K.SECONDS,
    "verdict": K.AS_IS,
    "version": K.AS_IS,
    "wire_key": K.LEFT_OUT,
    "write": K.LEFT_OUT,
    # The same words, elsewhere.
    "session.write_classified.seen": K.HEAD,
    "session.write_intended.session": K.LEFT_OUT,
    "tool.call.settled.outcome": K.AS_IS,
}
# Arguments that can only be one of a few words of the capability's own, or are no words at all.
CLOSED_ARGUMENTS: Final[Mapping[str, frozenset[str]]] = {
    "refund-payment@1": frozenset({"amount", "reason"}),
}
# Fields that name the same thing get the same pseudonym.
SAME_AS: Final[Mapping[str, str]] = {
    "about": "customer",
    "order_key": "order",
    "policy_name": "policy",
    "target": "payment",
}


def kept(event_type: str, field: str) -> Kept:
    """A field that nobody has thought about is left out."""
    return KEPT.get(f"{event_type}.{field}", KEPT.get(field, Kept.LEFT_OUT))
