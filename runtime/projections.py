"""Keep the rows that guards and pages read equal to the facts they stand for."""

from __future__ import annotations

from dataclasses import fields
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


def state_before(state: type[S], row: Model) -> S:
    """The state of a row, or that of nothing where the row is only being made."""
    return state() if row._state.adding else state_of(state, row)  # noqa: SLF001


def take_state(row: Model, state: DataclassInstance) -> list[str]:
    """Set the columns of a row that differ from a state, and answer which those were."""
    changed = []
    for name in columns(type(state)):
        value = getattr(state, name)
        if value != _read(getattr(row, name)):
            setattr(row, name, value)
            changed.append(name)
    return changed


def write_state(locked: LockedRun, row: Model, state: DataclassInstance) -> None:
    is_new = row._state.adding  # noqa: SLF001
    changed = take_state(row, state)
    row.save(force_insert=True) if is_new else locked.save(row, changed)


def record_run(locked: LockedRun, payload: Payload) -> Recorded:
    fact = locked.append(payload, after=locked.run.last_event)
    write_state(locked, locked.run, reduce_run(state_of(RunState, locked.run), fact))
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
    write_state(locked, call, reduce_call(state_before(CallState, call), fact))
    return fact


def record_attempt(
    locked: LockedRun, call: ToolCall, attempt: Attempt, payload: Payload
) -> Recorded:
    """Append a fact about an attempt; opening one may move its call as well."""
    led_here = attempt.last_event or call.last_event
    fact = locked.append(payload, _call_ids(call, {"attempt_id": attempt.pk}), after=led_here)
    write_state(locked, attempt, reduce_attempt(state_before(AttemptState, attempt), fact))
    write_state(locked, call, reduce_call(state_of(CallState, call), fact))
    return fact


def record_case(
    locked: LockedRun, call: ToolCall, case: Case, payload: e.CaseOpened | e.CaseClosed
) -> Recorded:
    fact = locked.append(payload, _call_ids(call, {}), after=call.last_event)
    write_state(locked, case, reduce_case(state_before(CaseState, case), fact))
    return fact


def _call_ids(call: ToolCall, more: dict[str, Any]) -> Ids:
    return Ids(turn_id=call.turn_id, tool_call_id=call.pk, capability_id=call.capability, **more)


def _read(value: Any) -> Any:  # noqa: ANN401
    return tuple(value) if isinstance(value, list) else value
