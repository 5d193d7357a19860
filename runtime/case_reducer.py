"""From facts to the state of a case. Pure: the same facts always give the same state."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from runtime import events as e
from runtime.errors import IllegalTransitionError
from runtime.event_types import Recorded
from runtime.states import CaseKind


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseState:
    """Field for field, the columns of `Case` that events decide."""

    tool_call_id: UUID | None = None
    kind: CaseKind | None = None
    owner: str = ""
    opened_at: datetime | None = None
    closed_at: datetime | None = None


def reduce_case(state: CaseState, fact: Recorded) -> CaseState:
    match fact.payload:
        case e.CaseOpened(kind=kind, owner=owner):
            return CaseState(
                tool_call_id=fact.envelope.tool_call_id,
                kind=kind,
                owner=owner,
                opened_at=fact.occurred_at,
            )
        case e.CaseClosed():
            if state.opened_at is None or state.closed_at is not None:
                raise IllegalTransitionError("a case that is not open cannot close")
            return replace(state, closed_at=fact.occurred_at)
        case _:
            return state
