"""Ask every gate whether a run's agent may go on; the answer and its grounds are a fact."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.db.models import Max

from runtime import events as e
from runtime import session_events as s
from runtime.canonical import digest
from runtime.capabilities import require
from runtime.commands import Actor
from runtime.event_log import Cause, LockedRun, lock_run, recorded
from runtime.event_types import Payload
from runtime.ids import new_id
from runtime.models import Event, Run, ToolCall
from runtime.pause_points import pause_at
from runtime.projections import record_run
from runtime.sessions.gates import Standing, objections
from runtime.sessions.writing import judge_at_rest, known_head, session_head, settle_writes
from runtime.states import CALL_FINAL, CallStatus

GRANTED = s.ContinuationGranted.event_type
DENIED = s.ContinuationDenied.event_type
# What an agent does with a grant: until then nobody knows that the grant was heard.
HEARD = [
    event.event_type for event in (s.SessionWriteIntended, e.ToolCallProposed, e.ToolCallRevised)
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Granted:
    """May go on, once; `since`: the position of the last grant heard, after which news begins."""

    grant: UUID
    since: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Denied:
    gates: tuple[s.Objection, ...]


def ask_gates(actor: Actor, run_id: UUID) -> Granted | Denied:
    """Settle what is open of the session, then ask every gate.

    Raises Run.DoesNotExist for what is not the actor's.
    """
    Run.objects.get(pk=run_id, workspace=actor.workspace, account=actor.person)
    cause = Cause(producer="runtime", actor=actor.name)
    settle_writes(run_id, cause)
    pause_at("before_grant")
    answer = _decide(run_id, cause)
    pause_at("after_grant")
    return answer


@transaction.atomic(durable=True)
def _decide(run_id: UUID, cause: Cause) -> Granted | Denied:
    locked = lock_run(run_id, cause=cause)
    if not locked.is_stopping:
        judge_at_rest(locked)
    calls = list(ToolCall.objects.filter(run=run_id).order_by("pk"))
    found = tuple(
        objections(
            is_over=locked.is_stopping,
            doubt=_doubt(locked.run),
            calls=[_standing(call) for call in calls],
        )
    )
    seen = s.Continuation(
        asked=s.GATES,
        session=session_head(known_head(locked.run)),
        calls=_stood(call for call in calls if call.execution_status not in CALL_FINAL),
        ended=_ended(_stood(call for call in calls if call.execution_status in CALL_FINAL)),
    )
    if not found:
        return _grant(locked, seen)
    locked.led_by = _behind(found, calls)
    return _deny(locked, seen, found)


def _stood(calls: Iterable[ToolCall]) -> tuple[s.CallStanding, ...]:
    return tuple(
        s.CallStanding(
            tool_call=call.pk,
            status=call.execution_status,
            verification=call.verification_status,
        )
        for call in calls
    )


def _ended(stood: Sequence[s.CallStanding]) -> s.EndedCalls:
    """A run has any number of ended calls, and a fact has room for only so many."""
    every = [each.model_dump(mode="json") for each in stood]
    return s.EndedCalls(count=len(every), digest=digest(every))


def _doubt(run: Run) -> str | None:
    """An append that is still open is as good as a doubt: nobody knows the history's end."""
    return run.session_doubt or ("an append is open" if run.session_write else None)


def _standing(call: ToolCall) -> Standing:
    return Standing(
        tool_call=call.pk,
        status=CallStatus(call.execution_status),
        may_stay_open=require(call.capability).outcome_may_stay_open,
    )


def _behind(found: tuple[s.Objection, ...], calls: list[ToolCall]) -> UUID | None:
    """What became of the first call that keeps a gate shut."""
    behind = {objection.tool_call for objection in found}
    return next((call.last_event for call in calls if call.pk in behind), None)


def _grant(locked: LockedRun, seen: s.Continuation) -> Granted:
    since = _last_heard(locked)
    grant = s.ContinuationGranted(grant=new_id(), **dict(seen))
    record_run(locked, grant)
    return Granted(grant=grant.grant, since=since)


def _last_heard(locked: LockedRun) -> int:
    """Where the newest grant stands that its agent has acted on; 0 where there is none."""
    facts = Event.objects.filter(run=locked.run)
    acted = facts.filter(event_type__in=HEARD, actor=locked.cause.actor)
    last = acted.aggregate(at=Max("position"))["at"] or 0
    grants = facts.filter(event_type=GRANTED, position__lt=last)
    heard: int | None = grants.aggregate(at=Max("position"))["at"]
    return heard or 0


def _deny(locked: LockedRun, seen: s.Continuation, found: tuple[s.Objection, ...]) -> Denied:
    """An agent may ask as often as it likes: the same denial again is no new fact."""
    denied = s.ContinuationDenied(gates=found, **dict(seen))
    if locked.run.ended_as is None and _last_answer(locked.run) != denied:
        record_run(locked, denied)
    return Denied(gates=found)


def _last_answer(run: Run) -> Payload | None:
    answers = Event.objects.filter(run=run, event_type__in=(GRANTED, DENIED))
    last = answers.order_by("position").last()
    return recorded(last).payload if last else None
