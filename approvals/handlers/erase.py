"""Erase a person, once for every command id, or say which calls are in the way."""

from __future__ import annotations

from django.db import transaction

from approvals.access import hands_of, role_of
from approvals.administration import ErasePerson, Whom
from approvals.erasure import Erased, Found, erase_found, find, refusal
from approvals.errors import NotPossibleError
from approvals.handlers.administer import LAST_ADMIN, NOT_AN_ADMIN, OWN_MEMBERSHIP, is_last_admin
from approvals.states import ErasureReason, Role
from runtime.commanded import Commanded
from runtime.commands import Actor, Answer, Refusal, Refused
from runtime.models import Workspace
from runtime.receipts import once_per_command_id
from runtime.workspaces import lock_workspace


@once_per_command_id
@transaction.atomic(durable=True)
def erase_person(actor: Actor, command: ErasePerson) -> Answer:
    locked = lock_workspace(actor.workspace.pk)
    if role_of(actor) is not Role.ADMIN:
        return Refused(refusal=NOT_AN_ADMIN)
    commanded = Commanded(
        locked=locked,
        actor=actor,
        subject=locked.workspace,
        command_id=command.command_id,
        kind="erase",
        body=command.model_dump(mode="json", exclude={"command_id"}),
    )
    if earlier := commanded.earlier():
        return earlier
    found = find(locked.workspace, command)
    refused = refusal(found) or _not_theirs(actor, found)
    if refused is None:
        erase_found(locked.workspace, found, command.reason, by=actor)
    return commanded.answer(refused, None)


@transaction.atomic(durable=True)
def erase_by_operator(workspace: Workspace, whom: Whom, reason: ErasureReason) -> Erased:
    """Raises NotPossibleError where it has to wait."""
    locked = lock_workspace(workspace.pk)
    found = find(locked.workspace, whom)
    if refused := refusal(found) or _leaves_no_admin(found):
        calls = refused.extra.get("tool_calls", [])
        raise NotPossibleError(" ".join([refused.detail, *calls]))
    return erase_found(locked.workspace, found, reason, by=None)


def _not_theirs(actor: Actor, found: Found) -> Refusal | None:
    if found.membership is not None and found.membership.person_id in hands_of(actor):
        return OWN_MEMBERSHIP
    return _leaves_no_admin(found)


def _leaves_no_admin(found: Found) -> Refusal | None:
    membership = found.membership
    return LAST_ADMIN if membership is not None and is_last_admin(membership) else None
