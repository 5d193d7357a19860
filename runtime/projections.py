"""Keep the rows that guards and pages read equal to the facts they stand for."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any, TypeVar

from runtime import events as e
from runtime.case_reducer import CaseState, reduce_case
from runtime.event_log import LockedRun
from runtime.event_types import Ids, Payload, Recorded
from runtime.models import Attempt, Case, ToolCall
from runtime.reducers import (
    AttemptState,
    CallState,
    reduce_attempt,
    reduce_call,
)
from runtime.run_reducer import RunState, reduce_run

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from django.db.models import Model

S = TypeVar("S", bound="DataclassInstance")


def columns(state: type[DataclassInstance]) -> list[str]:
    return [field.name for field in fields(state)]


def state_of(state: type[S], row: Model) -> S:
    """The part of a row that events decide."""
    return state(**{name: _read(getattr(row, name)) for name in columns(state)})


def write_state(row: Model, state: DataclassInstance, *, new: bool = False) -> None:
    for name, value in asdict(state).items():
        setattr(row, name, value)
    row.save(force_insert=True) if new else row.save(update_fields=columns(type(state)))


def record_run(locked: LockedRun, payload: Payload) -> Recorded:
    fact = locked.append(payload, after=locked.run.last_event)
    write_state(locked.run, reduce_run(state_of(RunState, locked.run), fact))
    return fact


def record_call(
    locked: LockedRun,
    call: ToolCall,
    payload: Payload,
    **ids: Any,  # noqa: ANN401
) -> Recorded:
    """Append a fact about a call and bring its row up to date, in one transaction."""
    # What an agent proposes comes of where its run has got to.
    led_here = call.last_event or locked.run.last_event
    fact = locked.append(payload, _call_ids(call, ids), after=led_here)
    new = call._state.adding  # noqa: SLF001
    state = CallState() if new else state_of(CallState, call)
    write_state(call, reduce_call(state, fact), new=new)
    return fact


def record_attempt(
    locked: LockedRun, call: ToolCall, attempt: Attempt, payload: Payload
) -> Recorded:
    """Append a fact about an attempt; opening one may move its call as well."""
    led_here = attempt.last_event or call.last_event
    fact = locked.append(payload, _call_ids(call, {"attempt_id": attempt.pk}), after=led_here)
    new = attempt._state.adding  # noqa: SLF001
    state = AttemptState() if new else state_of(AttemptState, attempt)
    write_state(attempt, reduce_attempt(state, fact), new=new)
    before = state_of(CallState, call)
    after = reduce_call(before, fact)
    if after != before:
        write_state(call, after)
    return fact


def record_case(
    locked: LockedRun, call: ToolCall, case: Case, payload: e.CaseOpened | e.CaseClosed
) -> Recorded:
    fact = locked.append(payload, _call_ids(call, {}), after=call.last_event)
    new = case._state.adding  # noqa: SLF001
    state = CaseState() if new else state_of(CaseState, case)
    write_state(case, reduce_case(state, fact), new=new)
    return fact


def _call_ids(call: ToolCall, more: dict[str, Any]) -> Ids:
    return Ids(turn_id=call.turn_id, tool_call_id=call.pk, capability_id=call.capability, **more)


def _read(value: Any) -> Any:  # noqa: ANN401
    return tuple(value) if isinstance(value, list) else value
