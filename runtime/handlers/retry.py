"""Try a call again without ever moving its old row backwards."""

from __future__ import annotations

from runtime import events as e
from runtime.calls import wake
from runtime.commands import RUN_ENDED, Refusal
from runtime.event_log import LockedRun, recorded
from runtime.gates import gate
from runtime.handlers.propose import (
    TOO_MANY_OPEN,
    latest_call,
    settle_admission,
    too_many_open,
)
from runtime.models import Event, ToolCall
from runtime.personal_keys import is_readable
from runtime.projections import record_call
from runtime.states import CALL_WITHOUT_EFFECT, CallStatus

MAY_BE_OUT_THERE = frozenset(
    {CallStatus.DISPATCHING, CallStatus.RESULT_UNKNOWN, CallStatus.MANUAL_HANDOFF}
)
PROPOSALS = [e.ToolCallProposed.event_type, e.ToolCallRevised.event_type]


def retry(locked: LockedRun, call: ToolCall) -> Refusal | None:
    """Look up, wake or succeed a call, whichever its state allows.

    Unknown or handed off: look up now. Held up while dispatching: the same key
    again. Ended without effect: a successor with a new key and a new approval.
    """
    status = CallStatus(call.execution_status)
    if status in MAY_BE_OUT_THERE:
        wake(locked, call)
        return None
    if status not in CALL_WITHOUT_EFFECT or not _is_latest(call):
        detail = f"A call that is {status} cannot be retried."
        return Refusal(http_status=409, code="not_retryable", detail=detail)
    if locked.is_stopping:
        return RUN_ENDED
    if too_many_open(locked.run):
        return TOO_MANY_OPEN
    if not is_readable(call.reasoning):
        detail = "Its grounds were erased, so nobody could judge it: propose it again."
        return Refusal(http_status=409, code="erased", detail=detail)
    _succeed(locked, call)
    return None


def _is_latest(call: ToolCall) -> bool:
    return latest_call(call.run, call.intent) == call


def _succeed(locked: LockedRun, call: ToolCall) -> None:
    """Propose the same again under the next epoch: a new key and a new question."""
    successor = ToolCall(
        workspace_id=call.workspace_id,
        run=locked.run,
        turn_id=call.turn_id,
        capability=call.capability,
    )
    again = e.ToolCallProposed(
        **_last_proposal(call) | {"revision": 1},
        capability=call.capability,
        intent=call.intent,
        epoch=call.epoch + 1,
        retry_of=call.pk,
        idempotency_key=call.idempotency_key,
    )
    locked.led_by = call.last_event
    record_call(locked, successor, again, artifact_id=call.artifact)
    settle_admission(locked, successor, gate().admit(locked, successor))


def _last_proposal(call: ToolCall) -> dict[str, object]:
    rows = Event.objects.filter(run=call.run, tool_call_id=call.pk, event_type__in=PROPOSALS)
    payload = recorded(rows.latest("position")).payload
    return {name: getattr(payload, name) for name in e.Proposal.model_fields}
