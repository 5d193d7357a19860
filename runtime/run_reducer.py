"""From facts to the state of a run. Pure: the same facts always give the same state."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from runtime import events as e
from runtime import session_events as s
from runtime.errors import IllegalTransitionError
from runtime.event_types import GENESIS, Payload, Recorded, TextRef


@dataclass(frozen=True, slots=True, kw_only=True)
class RunState:
    """Field for field, the columns of `Run` that events decide."""

    agent: str = ""
    account_id: UUID | None = None
    token: UUID | None = None
    harness: str = "external"
    goal: UUID | None = None
    success_criterion: UUID | None = None
    subject: UUID | None = None
    order_key: str | None = None
    about: str | None = None
    initiator: UUID | None = None
    ticket: UUID | None = None
    ticket_author: UUID | None = None
    session_write: UUID | None = None
    session_doubt: str | None = None
    session_revision: int = 0
    session_count: int = 0
    session_digest: str = GENESIS
    started_at: datetime | None = None
    stop_requested_at: datetime | None = None
    ended_as: str | None = None
    ended_at: datetime | None = None
    last_event: UUID | None = None


def reduce_run(state: RunState, fact: Recorded) -> RunState:
    if fact.envelope.tool_call_id is not None:
        return state
    return replace(_reduce_run(state, fact), last_event=fact.envelope.event_id)


def _reduce_run(state: RunState, fact: Recorded) -> RunState:
    match fact.payload:
        case e.RunStarted() as started:
            return _started(started, fact.occurred_at)
        case e.RunStopRequested():
            return replace(state, stop_requested_at=fact.occurred_at)
        case e.RunStopped():
            return _ended(state, "stopped", fact)
        case e.RunCompleted():
            return _ended(state, "completed", fact)
        case e.RunFailed():
            return _ended(state, "failed", fact)
        case _:
            return _session(state, fact.payload)


def _started(started: e.RunStarted, at: datetime) -> RunState:
    return RunState(
        agent=started.agent,
        account_id=started.account,
        token=started.token,
        harness=started.harness,
        goal=started.goal.id,
        success_criterion=_id(started.success_criterion),
        subject=started.subject.id,
        order_key=started.order_key,
        about=started.about,
        initiator=started.initiator,
        ticket=_id(started.ticket),
        ticket_author=started.ticket_author,
        started_at=at,
    )


def _session(state: RunState, payload: Payload) -> RunState:
    match payload:
        case s.SessionWriteIntended(write=write):
            return replace(state, session_write=write)
        case s.SessionWriteClassified() as classified:
            return _classified(state, classified)
        case s.SessionRepaired(head=head):
            return _at(replace(state, session_write=None, session_doubt=None), head)
        case _:
            return state


def _classified(state: RunState, classified: s.SessionWriteClassified) -> RunState:
    """A history in doubt stays as it was known, so that it can be judged by that again."""
    if not classified.goes_on:
        return replace(state, session_doubt=classified.verdict.value)
    if classified.verdict is s.Verdict.UNCHANGED:
        return state
    return _at(replace(state, session_write=None, session_doubt=None), classified.seen)


def _at(state: RunState, head: s.SessionHead) -> RunState:
    return replace(
        state,
        session_revision=head.revision,
        session_count=head.count,
        session_digest=head.digest,
    )


def _ended(state: RunState, how: str, fact: Recorded) -> RunState:
    if state.ended_as is not None:
        raise IllegalTransitionError(f"a run that is {state.ended_as} cannot become {how}")
    return replace(state, ended_as=how, ended_at=fact.occurred_at)


def _id(ref: TextRef | None) -> UUID | None:
    return None if ref is None else ref.id
