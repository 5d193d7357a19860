"""Put a proposed call to the policy in force and, where the policy says so, to people."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from approvals import events as e
from approvals.models import Approval, PolicyVersion
from approvals.policies import (
    NO_POLICY,
    RIVAL_POLICIES,
    ProposedEffect,
    Verdict,
    evaluate,
    hold_seconds,
)
from approvals.projections import record_approval
from approvals.selectors import conflict_set, document, policies_in_force
from approvals.usage import lock_usage, order_minor
from runtime.artifacts import arguments_of
from runtime.capabilities import capability
from runtime.event_log import LockedRun
from runtime.events import PolicyDecided
from runtime.gates import Admission, Go, NeedsPerson, Never
from runtime.ids import new_id
from runtime.models import ToolCall
from runtime.projections import record_call


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """A verdict on record, and the policy version that gave it."""

    id: UUID
    policy: PolicyVersion | None
    verdict: Verdict


def admit(locked: LockedRun, call: ToolCall, *, instead_of: Approval | None) -> Admission:
    """Rule on a call; a question that was open about it gives way to the new one."""
    ruling = _rule(locked, call)
    verdict = ruling.verdict
    if ruling.policy is None or verdict.kind == "never":
        if instead_of is not None:
            record_approval(locked, instead_of, e.ApprovalCancelled(code="revised"))
        return Never(code=verdict.code, detail=verdict.detail)
    approval = Approval(
        workspace_id=call.workspace_id,
        run=locked.run,
        tool_call=call,
        policy=ruling.policy,
        policy_decision_id=ruling.id,
    )
    if instead_of is not None:
        record_approval(locked, instead_of, e.ApprovalSuperseded(successor=approval.pk))
    record_approval(locked, approval, _requested(locked, call, ruling.policy, verdict))
    if verdict.kind == "needs_person":
        return NeedsPerson(approval_id=approval.pk)
    rule = f"policy:{ruling.policy.pk}"
    spoken = replace(locked, cause=replace(locked.cause, actor=rule))
    return Go(not_before=grant(spoken, approval, by=rule))


def grant(locked: LockedRun, approval: Approval, *, by: str) -> datetime:
    """Grant a pending approval; answers the time from which it may be spent."""
    rules = document(approval.policy)
    hold_s = hold_seconds(rules, approval.amount_minor, approval.currency)
    hold_until = locked.now + timedelta(seconds=hold_s) if hold_s else None
    use_by = locked.now + timedelta(seconds=rules.use_within_s)
    granted = e.ApprovalGranted(by=by, use_by=use_by, hold_until=hold_until)
    record_approval(locked, approval, granted)
    return hold_until or locked.now


def _rule(locked: LockedRun, call: ToolCall) -> Ruling:
    policies = policies_in_force(call.workspace_id, call.capability)
    policy = policies[0] if len(policies) == 1 else None
    if policy is not None:
        verdict = _verdict(locked, call, policy)
    else:
        verdict = RIVAL_POLICIES if policies else NO_POLICY
    ruling = Ruling(id=new_id(), policy=policy, verdict=verdict)
    decided = PolicyDecided(
        verdict=verdict.kind,
        policy=policy.name if policy else None,
        version=policy.version if policy else None,
        code=verdict.code,
    )
    record_call(locked, call, decided, policy_decision_id=ruling.id)
    return ruling


def _verdict(locked: LockedRun, call: ToolCall, policy: PolicyVersion) -> Verdict:
    rules = document(policy)
    order: int | None = None
    if call.currency in rules.automatic and locked.run.order_key is not None:
        lock_usage(locked, call)
        order = order_minor(locked.run, call)
    effect = ProposedEffect(
        amount_minor=call.amount_minor, currency=call.currency, order_minor=order
    )
    return evaluate(rules, effect)


def _requested(
    locked: LockedRun, call: ToolCall, policy: PolicyVersion, verdict: Verdict
) -> e.ApprovalRequested:
    rules = document(policy)
    within_s = min(rules.decide_within_s, call.decide_within_s or rules.decide_within_s)
    return e.ApprovalRequested(
        **what_is_asked(call, policy),
        digest=call.digest,
        needed=rules.needs if verdict.kind == "needs_person" else 0,
        decide_by=locked.now + timedelta(seconds=within_s),
        conflicts=conflict_set(locked, call, policy),
    )


def what_is_asked(call: ToolCall, policy: PolicyVersion) -> dict[str, Any]:
    """The part of a question that names its effect and the policy it is asked under."""
    arguments = arguments_of(call)
    known = capability(call.capability)
    return {
        "policy": policy.pk,
        "policy_name": policy.name,
        "policy_version": policy.version,
        "revision": call.revision,
        "arguments": json.loads(call.arguments),
        "amount_minor": call.amount_minor,
        "currency": call.currency,
        "target": call.target,
        "risk": known.risk(arguments) if known and arguments is not None else "high",
    }
