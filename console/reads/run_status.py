"""What state a run is in: derived from its facts, the first description that applies."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Q, QuerySet

from approvals.models import Approval
from approvals.states import ApprovalStatus
from console.view_models.runs import BlockedView
from runtime.models import Attempt, Heartbeat, Run, ToolCall
from runtime.states import CALL_IN_DOUBT, RUN_ENDED, AttemptClose, CallStatus, RunStatus

HEARD_WITHIN = timedelta(seconds=15)
HELD_UP = {
    AttemptClose.THROTTLED: "throttled",
    AttemptClose.MISCONFIGURED: "provider_misconfigured",
}
NEEDS_WORKER = {CallStatus.AUTHORIZED, CallStatus.DISPATCHING} | CALL_IN_DOUBT


def run_status(run: Run, calls: Sequence[ToolCall], *, is_asked: bool) -> RunStatus:
    """`is_asked`: some approval of the run is pending."""
    if run.ended_as is not None:
        return RunStatus(run.ended_as)
    if run.stop_requested_at is not None:
        return RunStatus.STOPPING
    if run.session_doubt is not None:
        return RunStatus.SESSION_IN_DOUBT
    if any(call.execution_status in CALL_IN_DOUBT for call in calls):
        return RunStatus.AWAITING_RECONCILIATION
    return RunStatus.WAITING_FOR_APPROVAL if is_asked else RunStatus.RUNNING


def with_status(runs: QuerySet[Run], status: RunStatus) -> QuerySet[Run]:
    """Keep the runs of which `run_status` would say this; the same rules, as a query."""
    if status in RUN_ENDED:
        return runs.filter(ended_as=status.value)
    runs = runs.filter(ended_as=None)
    if status is RunStatus.STOPPING:
        return runs.filter(stop_requested_at__isnull=False)
    mine = OuterRef("pk")
    doubt = Exists(ToolCall.objects.filter(run=mine, execution_status__in=CALL_IN_DOUBT))
    asked = Exists(Approval.objects.filter(run=mine, status=ApprovalStatus.PENDING))
    runs = runs.filter(stop_requested_at=None)
    if status is RunStatus.SESSION_IN_DOUBT:
        return runs.exclude(session_doubt=None)
    runs = runs.filter(session_doubt=None)
    match status:
        case RunStatus.AWAITING_RECONCILIATION:
            return runs.filter(doubt)
        case RunStatus.WAITING_FOR_APPROVAL:
            return runs.filter(~Q(doubt), Q(asked))
        case RunStatus.RUNNING:
            return runs.filter(~Q(doubt), ~Q(asked))
        case _:
            return runs.none()


def heard(now: datetime) -> set[str]:
    """Answer the kinds of process that were heard of lately."""
    beats = Heartbeat.objects.filter(at__gt=now - HEARD_WITHIN)
    return set(beats.values_list("kind", flat=True))


def blocked(
    calls: Sequence[ToolCall], last_attempts: dict[object, Attempt], now: datetime, up: set[str]
) -> BlockedView | None:
    """Say what the machine, not a person, is waiting for, and since when."""
    for call in calls:
        if found := _blocked(call, last_attempts.get(call.pk), now, up):
            return found
    return None


def _blocked(
    call: ToolCall, attempt: Attempt | None, now: datetime, up: set[str]
) -> BlockedView | None:
    status = CallStatus(call.execution_status)
    since = call.dispatched_at or call.authorized_at or call.proposed_at
    if status not in NEEDS_WORKER:
        return None
    if status is CallStatus.AUTHORIZED and call.not_before and call.not_before > now:
        return BlockedView(code="hold", since=since)
    if "worker" not in up:
        return BlockedView(code="no_dispatch_worker", since=since)
    if "relay" not in up:
        return BlockedView(code="no_relay", since=since)
    if status is CallStatus.DISPATCHING and attempt is not None and attempt.close in HELD_UP:
        return BlockedView(code=HELD_UP[AttemptClose(attempt.close)], since=attempt.opened_at)
    if call.held_up_code is not None and call.held_up_at is not None:
        return BlockedView(code=call.held_up_code, since=call.held_up_at)
    return None
