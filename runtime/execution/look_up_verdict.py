"""What to do about an unknown result, from what a look-up found. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, assert_never

from runtime.capabilities import Precondition
from runtime.providers.facts import RefundFacts
from runtime.providers.matching import Ambiguous, Found, Match, NotFound
from runtime.providers.profiles import Profile


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A call in doubt.

    `quiet_since` is when its last attempt was over, `last_code` how that one was
    answered, `was_lost` whether an answer before it was lost; from `key_until` on the
    provider may have forgotten the key.
    """

    match: Match
    profile: Profile
    now: datetime
    quiet_since: datetime
    settle_delay: timedelta
    key_until: datetime
    last_code: str | None
    was_lost: bool
    is_stopping: bool
    problem: Precondition | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Adopt:
    refund: RefundFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class SendAgain:
    """The same key once more: it was not applied, or the answer is the look-up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LookAgain:
    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NotApplied:
    """Nothing of ours was executed, and nothing will be."""

    code: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HandOff:
    """The machine must not guess: a person decides."""

    code: str
    detail: str


Verdict = Adopt | SendAgain | LookAgain | NotApplied | HandOff

AMBIGUOUS: Final = {
    "incomplete_listing": "The provider's list of refunds is not complete.",
    "several_matches": "More than one refund at the provider carries our reference.",
    "other_amount": "The refund with our reference has another amount.",
}
BY_SOMEONE_ELSE: Final = NotApplied(
    code="charge_already_refunded",
    detail="Someone else has refunded this payment; no refund of ours is among its refunds.",
)
LOST_THEN_REFUSED: Final = HandOff(
    code="lost_then_refused",
    detail="The provider refused a later attempt, and an earlier one never got an answer.",
)
KEY_REUSED: Final = HandOff(
    code="key_reused", detail="The provider knows our key from another request."
)
NO_LOOK_UP: Final = HandOff(
    code="no_look_up", detail="This provider cannot be asked what became of the request."
)
NO_KEY: Final = HandOff(
    code="not_found",
    detail="Not found, but without a key at the provider the first request may still arrive.",
)
STOPPED: Final = HandOff(code="run_stopped", detail="Nothing is sent again after a stop request.")
KEY_EXPIRED: Final = HandOff(code="key_expired", detail="The provider may have forgotten our key.")


def decide(case: Case) -> Verdict:
    if not case.profile.has_lookup:
        return _without_look_up(case)
    match case.match:
        case Found(refund=refund):
            return Adopt(refund=refund)
        case Ambiguous(code=code):
            return HandOff(code=code, detail=AMBIGUOUS[code])
        case NotFound():
            return _not_found(case)
        case _:
            assert_never(case.match)


def _not_found(case: Case) -> Verdict:
    if case.now < case.quiet_since + case.settle_delay:
        return LookAgain(code="too_early")
    if refused := _refused(case):
        return refused
    if not case.profile.has_key:
        return NO_KEY
    if case.problem is not None:
        return HandOff(code=case.problem.name, detail=f"Not found. {case.problem.detail}")
    return _same_key(case)


def _without_look_up(case: Case) -> Verdict:
    if not case.profile.has_key:
        return NO_LOOK_UP
    return _refused(case) or _same_key(case)


def _refused(case: Case) -> Verdict | None:
    """What a refusal says: it is about its own attempt, never about one that was lost."""
    if case.last_code == KEY_REUSED.code:
        return KEY_REUSED
    if case.last_code is not None and case.was_lost:
        return LOST_THEN_REFUSED
    return BY_SOMEONE_ELSE if case.last_code == BY_SOMEONE_ELSE.code else None


def _same_key(case: Case) -> Verdict:
    if case.is_stopping:
        return STOPPED
    return SendAgain() if case.now < case.key_until else KEY_EXPIRED
