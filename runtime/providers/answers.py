"""What a provider's answer means for the call that asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, assert_never


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """The provider has it, and has not finished."""

    result_ref: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """Nothing is left to execute; it says nothing about money having arrived."""

    result_ref: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """The provider said no, and nothing will be executed."""

    code: str
    detail: str
    result_ref: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Throttled:
    """Not executed: come back later with the same key."""

    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Misconfigured:
    """Not executed, and it will not be until somebody changes the account."""

    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NotSent:
    """No connection was made, so not a byte was written."""

    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """The effect may or may not exist."""

    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LookFirst:
    """A no that may be the echo of our own success: sending again cannot tell."""

    code: str


Word = Accepted | Completed | Failed
NotExecuted = Throttled | Misconfigured | NotSent
Answer = Word | NotExecuted | Unknown | LookFirst
RefundStatus = Literal["pending", "requires_action", "succeeded", "failed", "canceled"]


def word_of(result_ref: str, status: RefundStatus) -> Word:
    """Say what a refund's status means for its call, wherever it was seen."""
    match status:
        case "succeeded":
            return Completed(result_ref=result_ref)
        case "pending" | "requires_action":
            return Accepted(result_ref=result_ref)
        case "failed" | "canceled":
            detail = f"The refund {result_ref} is {status} at the provider."
            return Failed(code=f"refund_{status}", detail=detail, result_ref=result_ref)
        case _:
            assert_never(status)
