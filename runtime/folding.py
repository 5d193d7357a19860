"""Fold a run's log from nothing, and name each row that differs from the result."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, TypeVar
from uuid import UUID

from runtime import events as e
from runtime.case_reducer import CaseState, reduce_case
from runtime.event_log import read
from runtime.models import Attempt, Case, Run, ToolCall
from runtime.projections import state_of
from runtime.reducers import (
    AttemptState,
    CallState,
    reduce_attempt,
    reduce_call,
)
from runtime.run_reducer import RunState, reduce_run

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

K = TypeVar("K")


@dataclass(slots=True, kw_only=True)
class Fold:
    """A run as its facts tell it, and nothing else does."""

    run: RunState = field(default_factory=RunState)
    calls: dict[UUID, CallState] = field(default_factory=lambda: defaultdict(CallState))
    attempts: dict[UUID, AttemptState] = field(default_factory=lambda: defaultdict(AttemptState))
    cases: dict[UUID, CaseState] = field(default_factory=lambda: defaultdict(CaseState))


def fold(run_id: UUID) -> Fold:
    folded = Fold()
    for fact in read(run_id):
        folded.run = reduce_run(folded.run, fact)
        if call_id := fact.envelope.tool_call_id:
            folded.calls[call_id] = reduce_call(folded.calls[call_id], fact)
        if attempt_id := fact.envelope.attempt_id:
            folded.attempts[attempt_id] = reduce_attempt(folded.attempts[attempt_id], fact)
        if isinstance(fact.payload, e.CaseOpened | e.CaseClosed):
            case_id = fact.payload.case
            folded.cases[case_id] = reduce_case(folded.cases[case_id], fact)
    return folded


def rows(run_id: UUID) -> Fold:
    """The same picture, read from the projected rows."""
    return Fold(
        run=state_of(RunState, Run.objects.get(pk=run_id)),
        calls={call.pk: state_of(CallState, call) for call in ToolCall.objects.filter(run=run_id)},
        attempts={
            attempt.pk: state_of(AttemptState, attempt)
            for attempt in Attempt.objects.filter(tool_call__run=run_id)
        },
        cases={case.pk: state_of(CaseState, case) for case in Case.objects.filter(run=run_id)},
    )


def run_differences(run_id: UUID) -> Iterator[str]:
    folded, stored = fold(run_id), rows(run_id)
    yield from differences("run", {run_id: folded.run}, {run_id: stored.run})
    yield from differences("call", folded.calls, stored.calls)
    yield from differences("attempt", folded.attempts, stored.attempts)
    yield from differences("case", folded.cases, stored.cases)


def differences(
    kind: str,
    folded: Mapping[K, DataclassInstance],
    stored: Mapping[K, DataclassInstance],
) -> Iterator[str]:
    """Name each row that is missing, unexplained or not as its facts say."""
    for key in sorted(folded.keys() | stored.keys(), key=str):
        if key not in folded or key not in stored:
            yield f"{kind} {key}: {'no facts' if key in stored else 'no row'}"
            continue
        facts, row = asdict(folded[key]), asdict(stored[key])
        for name, value in facts.items():
            if value != row[name]:
                yield f"{kind} {key}: {name} is {row[name]!r}, the log says {value!r}"
