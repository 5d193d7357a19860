"""What has changed since a grant, if anything that matters has; asked when it is spent."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Final

from approvals.access import membership_of
from approvals.authority import shortfall
from approvals.conflicts import reasons
from approvals.events import Conflict
from approvals.models import Approval, Vote
from approvals.selectors import conflict_set, groups_of, limits_for, policies_in_force
from approvals.states import Decision, Role
from approvals.usage import kind_of, lock_usage, used_by
from runtime.artifacts import arguments_of
from runtime.canonical import effect_digest
from runtime.event_log import LockedRun
from runtime.gates import Changed, Lost, Waiting
from runtime.models import ToolCall
from runtime.observations import locked_preconditions

FACTS_GOOD_FOR: Final = timedelta(seconds=30)
READ_AGAIN_AFTER: Final = timedelta(seconds=5)

Objection = Changed | Lost | Waiting


def objection(locked: LockedRun, call: ToolCall, approval: Approval) -> Objection | None:
    """Check a grant against the call, the people, the policy and the world, in this order."""
    if not _is_same_effect(call, approval):
        detail = "The arguments are not the ones that were approved."
        return Changed(code="arguments_changed", detail=detail)
    return (
        _policy_changed(call, approval)
        or _people_changed(locked, call, approval)
        or _world_changed(locked, call, approval)
    )


def _is_same_effect(call: ToolCall, approval: Approval) -> bool:
    arguments = arguments_of(call)
    if arguments is None:
        # Nobody can compare them any more; the preconditions say no in their own words.
        return True
    digest = effect_digest(call.capability, arguments)
    approved = (approval.digest, approval.arguments, approval.artifact, approval.revision)
    sums = (approval.amount_minor, approval.currency, approval.target)
    return approved == (digest, call.arguments, call.artifact, call.revision) and sums == (
        call.amount_minor,
        call.currency,
        call.target,
    )


def _policy_changed(call: ToolCall, approval: Approval) -> Lost | None:
    if approval.policy.withdrawn_at is not None:
        return Lost(code="policy_withdrawn", detail="The policy version was withdrawn.")
    if policies_in_force(call.workspace_id, call.capability) != [approval.policy]:
        return Lost(code="policy_changed", detail="Another policy version is in force now.")
    return None


def _people_changed(locked: LockedRun, call: ToolCall, approval: Approval) -> Lost | None:
    """Every vote must hold alone; one that no longer does takes the grant with it."""
    votes = list(approval.votes.select_related("person").filter(decision=Decision.APPROVE))
    lock_usage(locked, call, [vote.person_id for vote in votes])
    stored = map(Conflict.model_validate, approval.conflicts)
    behind = (*stored, *conflict_set(locked, call, approval.policy))
    if len(votes) < approval.needed:
        return Lost(code="votes_missing", detail="Fewer people stand behind it than it needs.")
    found = (_vote_changed(call, approval, vote, behind) for vote in votes)
    return next((lost for lost in found if lost), None)


def _vote_changed(
    call: ToolCall, approval: Approval, vote: Vote, behind: Iterable[Conflict]
) -> Lost | None:
    membership = membership_of(vote.person, approval.workspace)
    if membership is None or membership.role != Role.REVIEWER:
        return Lost(code="approver_left", detail="An approver is no longer an active reviewer.")
    if reasons(tuple(behind), [vote.person_id]):
        return Lost(code="conflict_of_interest", detail="An approver stands behind the run.")
    used = used_by(
        vote.person_id,
        [approval],
        workspace=approval.workspace,
        at=vote.cast_at,
        granted_before=approval.granted_at,
    )
    groups = groups_of(approval.workspace_id, vote.person_id)
    limits = limits_for(approval.workspace_id, [call])[kind_of(call)]
    if shortfall(approval.amount_minor, used[approval.pk], limits, groups):
        return Lost(code="limit_lowered", detail="An approver's limit no longer covers it.")
    return None


def _world_changed(
    locked: LockedRun, call: ToolCall, approval: Approval
) -> Changed | Waiting | None:
    """Judge what the provider said after the grant and within the last thirty seconds."""
    oldest = max(approval.granted_at or locked.now, locked.now - FACTS_GOOD_FOR)
    preconditions = locked_preconditions(locked, call)
    if any(each.as_of is None or each.as_of <= oldest for each in preconditions):
        return _unreadable(locked)
    for each in preconditions:
        if each.ok is False:
            return Changed(code=each.name, detail=each.detail)
    return None if all(each.ok for each in preconditions) else _unreadable(locked)


def _unreadable(locked: LockedRun) -> Waiting:
    return Waiting(code="facts_unreadable", until=locked.now + READ_AGAIN_AFTER)
