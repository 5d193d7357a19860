"""One call, and one approval, in each state there is."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from django.db import transaction

from approvals.handlers import expire
from approvals.models import Approval
from approvals.states import ApprovalStatus
from runtime import events as e
from runtime.event_types import Payload
from runtime.ids import new_id
from runtime.models import ToolCall
from runtime.projections import record_call
from runtime.states import CallStatus
from tests.factories import (
    locked_run,
    make_approval,
    make_call,
    make_grant,
    make_run,
    move_clock,
    observe,
    reject,
    revoke,
    spend,
)

C, A = CallStatus, ApprovalStatus


def calls(world) -> dict[CallStatus, ToolCall]:
    return {status: _call(world, status) for status in C}


def approvals(world) -> dict[ApprovalStatus, Approval]:
    made = {
        A.PENDING: make_approval(world),
        A.GRANTED: make_grant(world, minor=600_00),
        A.REJECTED: make_approval(world),
        A.EXPIRED: make_approval(world),
        A.CANCELLED: make_approval(world),
        A.SUPERSEDED: _superseded(world),
        A.CONSUMED: make_grant(world),
        A.REVOKED: make_grant(world),
        A.INVALIDATED: make_grant(world),
    }
    reject(world, "reviewer", made[A.REJECTED], note="Paid <b>twice</b>")
    move_clock(made[A.EXPIRED], decide_by=timedelta(seconds=-1))
    expire(made[A.EXPIRED].pk)
    revoke(world, "admin", made[A.CANCELLED])
    revoke(world, "admin", made[A.REVOKED])
    for status, facts in ((A.CONSUMED, {}), (A.INVALIDATED, {"disputed": True})):
        call = made[status].tool_call
        observe(call, **facts)
        spend(call)
    for status, approval in made.items():
        approval.refresh_from_db()
        assert approval.status == status
    return made


def _superseded(world) -> Approval:
    run = make_run(world)
    approval = make_approval(world, run, minor=500, intent="revised", payment="pi_revised")
    make_call(world, run, minor=400, intent="revised", payment="pi_revised")
    return approval


def _call(world, status: CallStatus) -> ToolCall:
    if status is C.PROPOSED:
        return make_call(world)
    call = make_grant(world).tool_call
    for payload in _way_to(status):
        with transaction.atomic():
            record_call(locked_run(call), call, payload)
    assert call.execution_status == status
    return call


def _way_to(status: CallStatus) -> list[Payload]:
    """The facts that lead from an authorized call to this state."""
    left = e.ToolCallDispatching(
        external_request_id=f"er_{new_id()}",
        wire_key=new_id().hex,
        provider_account=UUID(int=1),
    )
    unknown: list[Payload] = [left, e.ToolCallResultUnknown(code="timeout")]
    ways: dict[CallStatus, list[Payload]] = {
        C.AUTHORIZED: [],
        C.REFUSED: [e.ToolCallRefused(code="changed", detail="Refunded elsewhere")],
        C.CANCELLED: [e.ToolCallCancelled(code="run_stopped")],
        C.DISPATCHING: [left],
        C.ABORTED: [left, e.ToolCallAborted(code="stopping", detail="The run is stopping")],
        C.ACCEPTED: [left, e.ToolCallAccepted(result_ref="re_1")],
        C.COMPLETED: [
            left,
            e.ToolCallCompleted(result_ref="re_1"),
            e.OutcomePending(source="answer", result_ref="re_1", detail=""),
            e.OutcomeConfirmedSuccess(source="read", result_ref="re_1", detail=""),
        ],
        C.FAILED: [left, e.ToolCallFailed(code="too_large", detail="No", result_ref=None)],
        C.RESULT_UNKNOWN: unknown,
        C.RECONCILING: [*unknown, e.ToolCallReconciling()],
        C.MANUAL_HANDOFF: [
            *unknown,
            e.ToolCallReconciling(),
            e.ToolCallHandedOff(code="ambiguous", detail="Two refunds match"),
        ],
    }
    return ways[status]
