"""Put a written policy version in force, or out of it, once for every command id."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from django.db import transaction

from approvals.access import hands_of, role_of
from approvals.administration import MovePolicy
from approvals.handlers.administer import NOT_AN_ADMIN
from approvals.models import PolicyVersion
from approvals.rules import activate_policy, withdraw_policy
from approvals.selectors import authors_of, document, versions_in_force
from approvals.states import Role
from runtime.commanded import Commanded
from runtime.commands import Actor, Answer, Refusal, Refused
from runtime.receipts import once_per_command_id
from runtime.workspaces import lock_workspace

AUTHOR: Final = Refusal(
    http_status=403,
    code="conflict_of_interest",
    detail="Another admin than its author puts a version in force.",
)


class PolicyMove(StrEnum):
    ACTIVATE = "activate_policy"
    WITHDRAW = "withdraw_policy"


@once_per_command_id
@transaction.atomic(durable=True)
def change_policy(actor: Actor, name: str, move: PolicyMove, command: MovePolicy) -> Answer:
    """Activate or withdraw one version; admins take turns, so that one of two is in force.

    Raises PolicyVersion.DoesNotExist for one of another workspace.
    """
    locked = lock_workspace(actor.workspace.pk)
    versions = PolicyVersion.objects.select_related("workspace")
    version = versions.get(workspace=actor.workspace, name=name, version=command.version)
    if role_of(actor) is not Role.ADMIN:
        return Refused(refusal=NOT_AN_ADMIN)
    commanded = Commanded(
        locked=locked,
        actor=actor,
        subject=version,
        command_id=command.command_id,
        kind=move,
        body=command.model_dump(mode="json", exclude={"command_id"}),
    )
    if earlier := commanded.earlier():
        return earlier
    reason = commanded.keep(command.reason)
    return commanded.answer(_carry_out(actor, version, move), reason)


def _carry_out(actor: Actor, version: PolicyVersion, move: PolicyMove) -> Refusal | None:
    match move:
        case PolicyMove.ACTIVATE:
            refusal = _cannot_activate(actor, version)
            if refusal is None:
                activate_policy(version, by=actor)
        case PolicyMove.WITHDRAW:
            refusal = _withdrawn(version)
            if refusal is None:
                withdraw_policy(version, by=actor)
    return refusal


def _cannot_activate(actor: Actor, version: PolicyVersion) -> Refusal | None:
    if refusal := _withdrawn(version):
        return refusal
    if version.activated_at is not None:
        return _conflict("already_active", "It was put in force before.")
    if not authors_of(version).isdisjoint(hands_of(actor)):
        return AUTHOR
    covers = document(version).capability
    for other in versions_in_force(version.workspace_id):
        if other.name == version.name and other.version > version.version:
            return _conflict("not_newer", "A newer version is in force: withdraw that.", other)
        if other.name != version.name and document(other).capability == covers:
            detail = "Another policy covers this capability: withdraw that first."
            return _conflict("rival_policies", detail, other)
    return None


def _withdrawn(version: PolicyVersion) -> Refusal | None:
    if version.withdrawn_at is None:
        return None
    return _conflict("already_withdrawn", "It was withdrawn; write a new version.")


def _conflict(code: str, detail: str, other: PolicyVersion | None = None) -> Refusal:
    extra = {"in_force": {"name": other.name, "version": other.version}} if other else {}
    return Refusal(http_status=409, code=code, detail=detail, extra=extra)
