"""Change a workspace's members and limits: by an admin, and never for the admin's own good."""

from __future__ import annotations

from typing import Final

from django.db import transaction

from approvals.access import hands_of, role_of
from approvals.administration import ChangeMember, SetAuthority
from approvals.changes import record_change
from approvals.errors import NotPossibleError
from approvals.models import Authority, Membership
from approvals.setup import groups_named, set_authority, terms_of
from approvals.states import ChangeKind, Role
from runtime.capabilities import capability
from runtime.commands import Actor, Refusal
from runtime.workspaces import lock_workspace

NOT_AN_ADMIN: Final = Refusal(
    http_status=403, code="not_authorized", detail="Only admins change a workspace."
)
LAST_ADMIN: Final = Refusal(
    http_status=409,
    code="last_admin",
    detail="Nobody else is an active admin: the workspace would have none.",
)
OWN_MEMBERSHIP: Final = Refusal(
    http_status=403,
    code="conflict_of_interest",
    detail="Nobody changes their own membership, or that of whoever made their token.",
)
OWN_LIMIT: Final = Refusal(
    http_status=403,
    code="conflict_of_interest",
    detail="Nobody sets the limits of a group they, or whoever made their token, belong to.",
)


@transaction.atomic(durable=True)
def change_member(actor: Actor, username: str, change: ChangeMember) -> Membership | Refusal:
    """Change what is named of a membership; nothing is written where nothing differs.

    Raises Membership.DoesNotExist for a stranger, NotPossibleError for what cannot be.
    """
    lock_workspace(actor.workspace.pk)
    related = Membership.objects.select_related("person", "owner", "workspace")
    membership = related.get(workspace=actor.workspace, person__username=username)
    if refusal := _refusal(actor, membership, change):
        return refusal
    before = terms_of(membership)
    _apply(membership, change)
    after = terms_of(membership)
    if after != before:
        subject = str(membership.person_id)
        record_change(
            actor.workspace,
            ChangeKind.MEMBER_CHANGED,
            subject,
            by=actor,
            before=before,
            after=after,
        )
    return membership


@transaction.atomic(durable=True)
def set_limit(actor: Actor, limit: SetAuthority) -> Authority | Refusal:
    """Set a group's limit; its first limit introduces a group.

    Raises NotPossibleError for a capability that nobody registered.
    """
    lock_workspace(actor.workspace.pk)
    if role_of(actor) is not Role.ADMIN:
        return NOT_AN_ADMIN
    known = capability(limit.capability)
    if known is None or known.name != limit.capability:
        raise NotPossibleError("There is no capability of this name.", field="capability")
    members = Membership.objects.filter(workspace=actor.workspace, groups__name=limit.group)
    if members.filter(person__in=hands_of(actor)).exists():
        return OWN_LIMIT
    return set_authority(actor.workspace, **limit.model_dump(), by=actor)


def _refusal(actor: Actor, membership: Membership, change: ChangeMember) -> Refusal | None:
    if role_of(actor) is not Role.ADMIN:
        return NOT_AN_ADMIN
    if _leaves_no_admin(membership, change):
        return LAST_ADMIN
    return OWN_MEMBERSHIP if membership.person_id in hands_of(actor) else None


def _leaves_no_admin(membership: Membership, change: ChangeMember) -> bool:
    stays = change.active is not False and change.role in (None, Role.ADMIN)
    return not stays and is_last_admin(membership)


def is_last_admin(membership: Membership) -> bool:
    if membership.role != Role.ADMIN:
        return False
    admins = Membership.objects.filter(workspace=membership.workspace, role=Role.ADMIN)
    others = admins.filter(active=True, person__is_active=True).exclude(pk=membership.pk)
    return not others.exists()


def _apply(membership: Membership, change: ChangeMember) -> None:
    is_agent = membership.role == Role.AGENT
    if change.role is not None and (change.role is Role.AGENT) != is_agent:
        detail = "An agent stays an agent, with its owner; nobody else becomes one."
        raise NotPossibleError(detail, field="role")
    if change.groups is not None:
        membership.groups.set(groups_named(membership.workspace, change.groups))
    membership.role = change.role or membership.role
    if change.active is not None:
        membership.active = change.active
    membership.save(update_fields=["role", "active"])
