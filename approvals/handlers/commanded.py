"""What commands about approvals and calls share: find, lock the run, ask for the role."""

from __future__ import annotations

from uuid import UUID

from approvals.access import role_of
from approvals.commands import Command
from approvals.decisions import NOT_AN_ADMIN
from approvals.models import Approval
from approvals.states import Role
from runtime.commanded import Commanded
from runtime.commands import Actor, Answer, Refused
from runtime.event_log import Cause, LockedRun, lock_run_of
from runtime.models import ToolCall

OnApproval = Commanded[LockedRun, Approval]
OnCall = Commanded[LockedRun, ToolCall]


def locked_approval(actor: Actor, approval_id: UUID) -> tuple[LockedRun, Approval]:
    """Lock the run first, then read the approval: every writer takes this order.

    Raises Approval.DoesNotExist for one of another workspace.
    """
    cause = Cause(producer="approvals", actor=actor.name)
    locked = lock_run_of(Approval, approval_id, workspace=actor.workspace.pk, cause=cause)
    approval = Approval.objects.select_related("tool_call", "policy").get(pk=approval_id)
    approval.run = approval.tool_call.run = locked.run
    return locked, approval


def by_admin(actor: Actor, call_id: UUID, command: Command, *, kind: str) -> OnCall | Answer:
    """An admin's command about a call, or the answer where there is one already.

    Raises ToolCall.DoesNotExist for one of another workspace.
    """
    cause = Cause(producer="approvals", actor=actor.name)
    locked = lock_run_of(ToolCall, call_id, workspace=actor.workspace.pk, cause=cause)
    if role_of(actor) is not Role.ADMIN:
        return Refused(refusal=NOT_AN_ADMIN)
    commanded = Commanded(
        locked=locked,
        actor=actor,
        subject=ToolCall.objects.get(pk=call_id),
        command_id=command.command_id,
        kind=kind,
        body=command.model_dump(mode="json", exclude={"command_id"}),
    )
    return commanded.earlier() or commanded
