"""Whether a run's agent may call its model again: every gate is asked, and says why not. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from runtime.session_events import Objection
from runtime.states import CALL_IN_DOUBT, CallStatus

UNSETTLED: Final = {
    CallStatus.PROPOSED: "waits for a decision",
    CallStatus.AUTHORIZED: "is approved and has not left yet",
    CallStatus.DISPATCHING: "is on its way",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How one call of the run stands."""

    tool_call: UUID
    status: CallStatus
    may_stay_open: bool


def objections(*, is_over: bool, doubt: str | None, calls: Sequence[Standing]) -> list[Objection]:
    return [
        *_of_the_run(is_over=is_over, doubt=doubt),
        *(each for call in calls for each in _of_a_call(call)),
    ]


def _of_the_run(*, is_over: bool, doubt: str | None) -> Iterator[Objection]:
    if is_over:
        reason = "The run has ended or is stopping."
        yield Objection(gate="run", reason=reason, tool_call=None)
    if doubt is not None:
        reason = f"The session is in doubt ({doubt}); an admin has to repair it."
        yield Objection(gate="session", reason=reason, tool_call=None)


def _of_a_call(call: Standing) -> Iterator[Objection]:
    if call.status in CALL_IN_DOUBT and not call.may_stay_open:
        reason = f"What became of a call is unknown ({call.status})."
        yield Objection(gate="effect", reason=reason, tool_call=call.tool_call)
    elif call.status in UNSETTLED:
        reason = f"A call {UNSETTLED[call.status]}."
        yield Objection(gate="approval", reason=reason, tool_call=call.tool_call)
