"""Facts put into a log as another program stored them: raw rows, chained as they have to be."""

from __future__ import annotations

import hashlib
from typing import Any

import rfc8785

from approvals.models import Approval
from runtime.event_rows import ENVELOPE_COLUMNS
from runtime.ids import new_id
from runtime.models import Event, Outbox, Run


def store(run: Run, event_type: str, version: int, payload: dict[str, Any], **columns) -> Event:
    """Append one fact past all our code: the hash is computed here, from what it is defined as."""
    run = Run.objects.get(pk=run.pk)
    last = Event.objects.filter(run=run).latest("position")
    event = Event(
        event_id=new_id(),
        workspace_id=run.workspace_id,
        run=run,
        position=last.position + 1,
        event_type=event_type,
        schema_version=version,
        producer="approvals",
        actor="system",
        correlation_id=str(run.pk),
        occurred_at=last.occurred_at,
        recorded_at=last.recorded_at,
        body=rfc8785.dumps(payload).decode(),
        prev_hash=last.hash,
    )
    for name, value in columns.items():
        setattr(event, name, value)
    event.hash = hash_of(event)
    event.save(force_insert=True)
    Outbox.objects.create(workspace_id=run.workspace_id, run=run, position=event.position)
    Run.objects.filter(pk=run.pk).update(head=event.position, head_hash=event.hash)
    return event


def store_about(approval: Approval, event_type: str, payload: dict[str, Any], *, version=1, **more):
    """The same, with the ids that a fact about an approval has."""
    call = approval.tool_call
    return store(
        approval.run,
        event_type,
        version,
        payload,
        turn_id=call.turn_id,
        capability_id=call.capability,
        policy_decision_id=approval.policy_decision_id,
        approval_id=approval.pk,
        tool_call_id=call.pk,
        **more,
    )


def hash_of(event: Event) -> str:
    envelope = {name: in_json(getattr(event, name)) for name in ENVELOPE_COLUMNS}
    envelope |= {"workspace": str(event.workspace_id), "run": str(event.run_id)}
    envelope["position"] = event.position
    text = "\n".join([event.prev_hash, rfc8785.dumps(envelope).decode(), event.body])
    return hashlib.sha256(text.encode()).hexdigest()


def in_json(value: Any) -> Any:
    if value is None or isinstance(value, str | int):
        return value
    return value.isoformat().replace("+00:00", "Z") if hasattr(value, "isoformat") else str(value)


def store_grant_of_version_one(approval: Approval, person, *, command_id="command-1") -> None:
    """What an approval by one person left in a log before votes said what they acted on."""
    by = f"person:{person.pk}"
    voted = {
        "person": str(person.pk),
        "decision": "approve",
        "reason_code": None,
        "note": None,
        "command_id": command_id,
    }
    granted = {"by": by, "use_by": "2099-01-01T00:00:00Z", "hold_until": None}
    store_about(approval, "approval.voted", voted, actor=by)
    store_about(approval, "approval.granted", granted, actor=by)
    store_about(approval, "tool.call.authorized", {"not_before": "2026-01-01T00:00:00Z"}, actor=by)
