"""Reads. Nothing here writes, and nothing here decides."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from approvals.access import membership_of
from approvals.authority import Limit
from approvals.conflicts import Behind, conflicts
from approvals.decisions import Latest, Question, Voter, barred, closed, not_allowed
from approvals.events import Conflict
from approvals.models import AccessToken, Approval, Authority, Membership, PolicyVersion
from approvals.policies import PolicyDocument
from approvals.states import APPROVAL_OPEN, ApprovalStatus, Decision, Role
from approvals.usage import used_by
from runtime.capabilities import Precondition
from runtime.commands import Actor, Refusal
from runtime.events import ToolCallProposed, ToolCallRevised
from runtime.models import Event, Run, ToolCall

EDITS = (ToolCallProposed.event_type, ToolCallRevised.event_type)


def policies_in_force(workspace: UUID, capability: str) -> list[PolicyVersion]:
    """Answer each policy's highest version in force, of those that cover a capability."""
    name = capability.partition("@")[0]
    active = PolicyVersion.objects.filter(
        workspace=workspace, activated_at__isnull=False, withdrawn_at=None
    )
    highest = active.order_by("name", "-version").distinct("name")
    return [version for version in highest if document(version).capability == name]


def document(version: PolicyVersion) -> PolicyDocument:
    return PolicyDocument.model_validate(version.document)


def conflict_set(run: Run, call: ToolCall, policy: PolicyVersion) -> tuple[Conflict, ...]:
    """Find everybody behind a call. What the run declares only ever adds to it."""
    account = Membership.objects.filter(workspace=run.workspace_id, person=run.account_id)
    tokens = AccessToken.objects.filter(workspace=run.workspace_id, person=run.account_id)
    return conflicts(
        Behind(
            initiator=run.initiator,
            ticket_author=run.ticket_author,
            agent_owner=account.values_list("owner_id", flat=True).first(),
            token_creators=set(tokens.values_list("creator_id", flat=True)),
            proposal_editors=_editors(run, call),
            policy_author=policy.author_id,
        )
    )


def open_approval(call: ToolCall) -> Approval | None:
    related = Approval.objects.select_related("policy", "workspace")
    approval = related.filter(tool_call=call, status__in=APPROVAL_OPEN).first()
    if approval is not None:
        approval.tool_call = call
    return approval


def question_of(approval: Approval) -> Question:
    return Question(
        status=ApprovalStatus(approval.status),
        revision=approval.revision,
        digest=approval.digest,
        amount_minor=approval.amount_minor,
        decide_by=approval.decide_by,
        conflicts=tuple(map(Conflict.model_validate, approval.conflicts)),
        settled_by=approval.settled_by,
        settled_at=approval.settled_at,
        latest=_latest(approval),
    )


def voter_of(approval: Approval, person: UUID, *, now: datetime) -> Voter:
    call = approval.tool_call
    return Voter(
        person=person,
        groups=groups_of(approval.workspace_id, person),
        voted=frozenset(
            Decision(vote.decision) for vote in approval.votes.filter(person_id=person)
        ),
        limits=limits_for(call),
        usage=used_by(call, person, at=now),
    )


def groups_of(workspace: UUID, person: UUID) -> frozenset[str]:
    memberships = Membership.objects.filter(workspace=workspace, person=person, active=True)
    names = memberships.filter(groups__isnull=False).values_list("groups__name", flat=True)
    return frozenset(names)


def limits_for(call: ToolCall) -> tuple[Limit, ...]:
    """Every group's limits for the call's capability and currency."""
    rows = Authority.objects.filter(
        group__workspace=call.workspace_id,
        capability=call.capability.partition("@")[0],
        currency=call.currency,
    )
    return tuple(
        Limit(group=name, limit_minor=limit, day_limit_minor=day)
        for name, limit, day in rows.values_list("group__name", "limit_minor", "day_limit_minor")
    )


def cannot_decide(
    actor: Actor, approval: Approval, *, now: datetime, preconditions: Iterable[Precondition]
) -> Refusal | None:
    """Say what an approval by this actor would be refused for, as the handler would say it."""
    question = question_of(approval)
    membership = membership_of(actor.person, actor.workspace)
    role = Role(membership.role) if membership else None
    return (
        not_allowed(role, actor.surface, document(approval.policy).require_surface)
        or closed(question, now)
        or barred(
            question, voter_of(approval, actor.person.pk, now=now), Decision.APPROVE, preconditions
        )
    )


def _latest(approval: Approval) -> Latest | None:
    successor = approval.successor
    if successor is None:
        return None
    newest = Approval.objects.get(pk=successor)
    # A revision of a revision: only the last of them can be decided.
    while newest.successor is not None:
        newest = Approval.objects.get(pk=newest.successor)
    return Latest(approval=newest.pk, revision=newest.revision, digest=newest.digest)


def _editors(run: Run, call: ToolCall) -> set[UUID]:
    """Whoever wrote any version of the intent's proposal; retrying one changes none of it."""
    calls = ToolCall.objects.filter(run=run, intent=call.intent).values("pk")
    edits = Event.objects.filter(run=run, tool_call_id__in=calls, event_type__in=EDITS)
    return {
        UUID(actor.removeprefix("person:"))
        for actor, payload in edits.values_list("actor", "payload")
        if actor.startswith("person:") and payload.get("retry_of") is None
    }
