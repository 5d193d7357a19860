"""What payments were last seen to be: stored for pages, decisions and the spending."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet

from runtime import events as e
from runtime.artifacts import Arguments, read_arguments
from runtime.canonical import canonical, digest
from runtime.capabilities import Precondition, require
from runtime.event_log import LockedRun
from runtime.models import Observation, ToolCall
from runtime.projections import record_call
from runtime.providers.facts import PaymentFacts
from runtime.reservations import Reserved, lock_payment, open_reservations, reserved_minor


def latest_observation(call: ToolCall) -> Observation | None:
    return Observation.objects.filter(tool_call=call).order_by("-as_of").first()


def facts_of(observation: Observation) -> PaymentFacts:
    return PaymentFacts.model_validate_json(observation.content)


def observed_preconditions(
    calls: Sequence[ToolCall], now: datetime
) -> dict[UUID, tuple[Precondition, ...]]:
    """Judge, for each call, the last observation of its payment that was made by `now`.

    Two queries for any number of calls. The answer holds as long as the payment is
    locked; without that lock it is a view.
    """
    return _judged(calls, {each.tool_call_id: each for each in _last_of_each(calls, now)}, now)


def preconditions_on(
    call: ToolCall, seen: Observation | None, now: datetime
) -> tuple[Precondition, ...]:
    """Judge one observation of a call's payment, which the caller has at hand."""
    return _judged([call], {} if seen is None else {call.pk: seen}, now)[call.pk]


def _judged(
    calls: Sequence[ToolCall], seen: Mapping[UUID, Observation], now: datetime
) -> dict[UUID, tuple[Precondition, ...]]:
    reserved = open_reservations(calls)
    arguments = read_arguments(calls)
    return {
        call.pk: _gone(now)
        if (asked := arguments[call.pk]) is None
        else _judge(call, asked, seen.get(call.pk), reserved)
        for call in calls
    }


def locked_preconditions(locked: LockedRun, call: ToolCall) -> tuple[Precondition, ...]:
    """Lock a call's payment, the last lock of all, and judge its last observation: it holds."""

    def judge() -> tuple[Precondition, ...]:
        lock_payment(call)
        return observed_preconditions([call], locked.now)[call.pk]

    return locked.once(("preconditions", call.pk), judge)


def _last_of_each(calls: Sequence[ToolCall], now: datetime) -> QuerySet[Observation]:
    found = Observation.objects.filter(tool_call__in=calls, as_of__lte=now)
    return found.order_by("tool_call_id", "-as_of").distinct("tool_call_id")


def _gone(now: datetime) -> tuple[Precondition, ...]:
    """Nobody can say any more what would be done, so nobody may have it done."""
    detail = "What was to be done has been erased."
    return (Precondition(name="arguments_readable", ok=False, as_of=now, detail=detail),)


def _judge(
    call: ToolCall, arguments: Arguments, seen: Observation | None, reserved: list[Reserved]
) -> tuple[Precondition, ...]:
    judge = require(call.capability).preconditions
    if seen is None:
        return judge(arguments, None, reserved_minor=0, as_of=None)
    facts = facts_of(seen)
    sum_minor = reserved_minor(call, reserved, facts, seen.as_of)
    return judge(arguments, facts, reserved_minor=sum_minor, as_of=seen.as_of)


def record_observation(
    locked: LockedRun, call: ToolCall, facts: PaymentFacts, as_of: datetime
) -> None:
    """Keep what was read; `as_of` is from before the read began, by the database's clock."""
    content = facts.model_dump(mode="json")
    seen = Observation.objects.create(
        run=locked.run,
        tool_call=call,
        as_of=as_of,
        digest=digest(content),
        content=canonical(content),
    )
    observed = e.PaymentObserved(observation=seen.pk, as_of=as_of, digest=seen.digest)
    record_call(locked, call, observed)


def record_news(locked: LockedRun, call: ToolCall, facts: PaymentFacts, as_of: datetime) -> None:
    """Keep what was read if it says anything new: for reads that repeat for days."""
    seen = latest_observation(call)
    if seen is None or seen.digest != digest(facts.model_dump(mode="json")):
        record_observation(locked, call, facts, as_of)
