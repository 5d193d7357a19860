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
from runtime.event_log import Cause, LockedRun, lock_run
from runtime.models import ToolCall

OnApproval = Commanded[LockedRun, Approval]
OnCall = Commanded[LockedRun, ToolCall]


def locked_approval(actor: Actor, approval_id: UUID) -> tuple[LockedRun, Approval]:
    """Lock the run first, then read the approval: every writer takes this order.

    Raises Approval.DoesNotExist for one of another workspace.
    """
    approvals = Approval.objects.filter(workspace=actor.workspace)
    run_id = approvals.values_list("run_id", flat=True).get(pk=approval_id)
    locked = lock_run(run_id, cause=Cause(producer="approvals", actor=actor.name))
    related = approvals.select_related("run", "tool_call", "policy")
    return locked, related.get(pk=approval_id)


def by_admin(actor: Actor, call_id: UUID, command: Command, *, kind: str) -> OnCall | Answer:
    """An admin's command about a call, or the answer where there is one already.

    Raises ToolCall.DoesNotExist for one of another workspace.
    """
    calls = ToolCall.objects.filter(workspace=actor.workspace)
    run_id = calls.values_list("run_id", flat=True).get(pk=call_id)
    locked = lock_run(run_id, cause=Cause(producer="approvals", actor=actor.name))
    if role_of(actor) is not Role.ADMIN:
        return Refused(refusal=NOT_AN_ADMIN)
    commanded = Commanded(
        locked=locked,
        actor=actor,
        subject=calls.get(pk=call_id),
        command_id=command.command_id,
        kind=kind,
        body=command.model_dump(mode="json", exclude={"command_id"}),
    )
    return commanded.earlier() or commanded
