"""Reads. Nothing here writes, and nothing here decides."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from uuid import UUID

from approvals.access import hands_of, makers_of, role_of
from approvals.authority import Limit
from approvals.conflicts import Behind, conflicts
from approvals.decisions import Latest, Question, Voter, barred, closed, not_allowed
from approvals.events import Conflict, Seen
from approvals.models import (
    AccessToken,
    Approval,
    Authority,
    Membership,
    PolicyVersion,
    Vote,
    WorkspaceChange,
)
from approvals.policies import PolicyDocument
from approvals.states import APPROVAL_OPEN, ApprovalStatus, ChangeKind, Decision, Purpose
from approvals.sums import Kind
from approvals.usage import kind_of, used_by
from runtime.commands import Actor, Refusal
from runtime.event_log import LockedRun
from runtime.event_types import newest
from runtime.events import ToolCallProposed, ToolCallRevised
from runtime.models import Event, ToolCall
from runtime.observations import latest_observation, observed_preconditions

EDIT_COLUMNS = ("actor", "event_type", "schema_version", "body")
EDITS = (ToolCallProposed.event_type, ToolCallRevised.event_type)

_documents: dict[UUID, PolicyDocument] = {}

# What each answer would be refused for; None: it would be taken.
Barriers = Mapping[Decision, Refusal | None]


def versions_in_force(workspace: UUID) -> list[PolicyVersion]:
    """Answer each policy's highest version that was activated and not withdrawn."""
    active = PolicyVersion.objects.filter(
        workspace=workspace, activated_at__isnull=False, withdrawn_at=None
    )
    return list(active.order_by("name", "-version").distinct("name"))


def policies_in_force(workspace: UUID, capability: str) -> list[PolicyVersion]:
    """Answer the versions in force that cover a capability."""
    name = capability.partition("@")[0]
    return [each for each in versions_in_force(workspace) if document(each).capability == name]


def authors_of(version: PolicyVersion) -> frozenset[UUID]:
    """Whoever wrote a version, and whoever made the token it was written with."""
    if version.author_id is None:
        return frozenset()
    return _makers_of_token_of(version.workspace_id, version.pk) | {version.author_id}


@lru_cache(maxsize=1_000)
def _makers_of_token_of(workspace: UUID, version: UUID) -> frozenset[UUID]:
    """What is on record about the writing of a version stays as it is."""
    changes = WorkspaceChange.objects.filter(
        workspace=workspace, kind=ChangeKind.POLICY_WRITTEN, subject=str(version)
    )
    return makers_of(changes.values_list("token", flat=True).first())


def document(version: PolicyVersion) -> PolicyDocument:
    """The rules of a version. It is never edited, so they are parsed once."""
    found = _documents.get(version.pk)
    if found is None:
        found = _documents[version.pk] = PolicyDocument.model_validate(version.document)
    return found


def conflict_set(
    locked: LockedRun, call: ToolCall, policy: PolicyVersion, *, settled_by: Collection[UUID] = ()
) -> tuple[Conflict, ...]:
    """Find everybody behind a call. What the run declares only ever adds to it.

    `settled_by`: who says that the call was executed, where that is what is asked about.
    """
    run = locked.run
    account = Membership.objects.filter(workspace=run.workspace_id, person=run.account_id)
    tokens = AccessToken.objects.filter(workspace=run.workspace_id, person=run.account_id)
    return conflicts(
        Behind(
            initiator=run.initiator,
            ticket_author=run.ticket_author,
            agent_owner=account.values_list("owner_id", flat=True).first(),
            token_creators=set(tokens.values_list("creator_id", flat=True)),
            proposal_editors=_editors(locked, call),
            policy_authors=authors_of(policy),
            settlement_proposers=settled_by,
        )
    )


def open_approval(call: ToolCall) -> Approval | None:
    related = Approval.objects.select_related("policy", "workspace")
    approval = related.filter(tool_call=call, status__in=APPROVAL_OPEN).first()
    if approval is not None:
        approval.tool_call, approval.run = call, call.run
    return approval


def question_of(approval: Approval) -> Question:
    return Question(
        status=ApprovalStatus(approval.status),
        purpose=Purpose(approval.purpose),
        revision=approval.revision,
        digest=approval.digest,
        amount_minor=approval.amount_minor,
        decide_by=approval.decide_by,
        conflicts=tuple(map(Conflict.model_validate, approval.conflicts)),
        settled_by=approval.settled_by,
        settled_at=approval.settled_at,
        latest=_latest(approval),
    )


def seen_by_voter(locked: LockedRun, approval: Approval) -> Seen:
    """What an answer to this question acts on, as it stands under the run's lock."""
    asks_about_payment = approval.purpose == Purpose.EFFECT
    last = latest_observation(approval.tool_call) if asks_about_payment else None
    return Seen(
        revision=approval.revision,
        digest=approval.digest,
        policy=approval.policy_id,
        policy_version=approval.policy.version,
        position=locked.run.head,
        observation=last.pk if last else None,
        payment_as_of=last.as_of if last else None,
    )


def groups_of(workspace: UUID, person: UUID) -> frozenset[str]:
    memberships = Membership.objects.filter(workspace=workspace, person=person, active=True)
    names = memberships.filter(groups__isnull=False).values_list("groups__name", flat=True)
    return frozenset(names)


def limits_for(workspace: UUID, calls: Iterable[ToolCall]) -> defaultdict[Kind, list[Limit]]:
    """Every group's limits for the capabilities and currencies of these calls."""
    kinds = {kind_of(call) for call in calls}
    rows = Authority.objects.filter(
        group__workspace=workspace,
        capability__in={capability for capability, _ in kinds},
        currency__in={currency for _, currency in kinds},
    )
    limits: defaultdict[Kind, list[Limit]] = defaultdict(list)
    for row in rows.select_related("group"):
        limits[row.capability, row.currency].append(
            Limit(
                group=row.group.name,
                limit_minor=row.limit_minor,
                day_limit_minor=row.day_limit_minor,
            )
        )
    return limits


def barriers(actor: Actor, approvals: Sequence[Approval], *, now: datetime) -> dict[UUID, Barriers]:
    """Say why this actor may not approve, and why not reject, each of these open questions.

    The queries are as many for a hundred as for one, if run, call and policy are loaded.
    """
    voters = _voters(actor, approvals, now=now)
    seen = observed_preconditions([each.tool_call for each in approvals], now)
    return {
        each.pk: {
            answer: barred(question_of(each), voters[each.pk], answer, seen[each.tool_call_id])
            for answer in Decision
        }
        for each in approvals
    }


def refusals(actor: Actor, approvals: Sequence[Approval], *, now: datetime) -> dict[UUID, Barriers]:
    """Say what each answer by this actor would be refused for, as the handler would say it."""
    if not approvals:
        return {}
    role = role_of(actor)
    policies = {each.policy for each in approvals}
    required = {policy.pk: document(policy).require_surface for policy in policies}
    early = {
        each.pk: not_allowed(role, actor.surface, required[each.policy_id], Purpose(each.purpose))
        or closed(question_of(each), now)
        for each in approvals
    }
    open_ones = [each for each in approvals if early[each.pk] is None]
    late = barriers(actor, open_ones, now=now) if open_ones else {}
    return {pk: late.get(pk) or dict.fromkeys(Decision, refusal) for pk, refusal in early.items()}


def _voters(actor: Actor, approvals: Sequence[Approval], *, now: datetime) -> dict[UUID, Voter]:
    workspace, person, hands = actor.workspace, actor.person.pk, hands_of(actor)
    groups = groups_of(workspace.pk, person)
    limits = limits_for(workspace.pk, [each.tool_call for each in approvals])
    usage = used_by(person, approvals, workspace=workspace, at=now)
    voted: defaultdict[UUID, set[Decision]] = defaultdict(set)
    for vote in Vote.objects.filter(approval__in=approvals, person=person):
        voted[vote.approval_id].add(Decision(vote.decision))
    return {
        each.pk: Voter(
            hands=hands,
            groups=groups,
            voted=frozenset(voted[each.pk]),
            limits=tuple(limits[kind_of(each.tool_call)]),
            usage=usage[each.pk],
        )
        for each in approvals
    }


def _latest(approval: Approval) -> Latest | None:
    successor = approval.successor
    if successor is None:
        return None
    newest = Approval.objects.get(pk=successor)
    # A revision of a revision: only the last of them can be decided.
    while newest.successor is not None:
        newest = Approval.objects.get(pk=newest.successor)
    return Latest(approval=newest.pk, revision=newest.revision, digest=newest.digest)


def _editors(locked: LockedRun, call: ToolCall) -> set[UUID]:
    """Whoever wrote any version of the intent's proposal; retrying one changes none of it."""
    if call.epoch == 1 and (proposer := _proposer(locked, call)):
        # Proposed a moment ago: nobody can have edited it.
        actors = [proposer]
    else:
        calls = ToolCall.objects.filter(run=locked.run, intent=call.intent).values("pk")
        edits = Event.objects.filter(run=locked.run, tool_call_id__in=calls, event_type__in=EDITS)
        actors = [
            actor
            for actor, kind, version, body in edits.values_list(*EDIT_COLUMNS)
            if newest(kind, version, body).get("retry_of") is None
        ]
    people = (actor for actor in actors if actor.startswith("person:"))
    return {UUID(actor.removeprefix("person:")) for actor in people}


def _proposer(locked: LockedRun, call: ToolCall) -> str | None:
    """Who proposed a call in this very transaction."""
    proposed = (fact for fact in locked.facts if isinstance(fact.payload, ToolCallProposed))
    said = (fact.envelope for fact in proposed if fact.envelope.tool_call_id == call.pk)
    return next((envelope.actor for envelope in said), None)
