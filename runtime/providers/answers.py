"""What a provider's answer means for the call that asked."""

from __future__ import annotations

from dataclasses import dataclass


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


NotExecuted = Throttled | Misconfigured | NotSent
Answer = Accepted | Completed | Failed | NotExecuted | Unknown | LookFirst
