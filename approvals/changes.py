"""Keep on record who changed a workspace: in the transaction of the change, or not at all."""

from __future__ import annotations

from typing import Any, Final

from approvals.models import WorkspaceChange
from approvals.states import ChangeKind
from runtime.commands import Actor
from runtime.event_log import database_now
from runtime.models import Workspace

OPERATOR: Final = "operator"
COMMAND_LINE: Final = "command line"

Terms = dict[str, Any]


def record_change(
    workspace: Workspace,
    kind: ChangeKind,
    subject: str,
    *,
    by: Actor | None,
    before: Terms | None = None,
    after: Terms | None = None,
) -> WorkspaceChange:
    """Say who did it; None is the operator, who has no membership to act through."""
    return WorkspaceChange.objects.create(
        workspace=workspace,
        kind=kind,
        subject=subject,
        actor=by.name if by else OPERATOR,
        surface=by.surface if by else COMMAND_LINE,
        token=by.token if by else None,
        before=before,
        after=after,
        changed_at=database_now(),
    )
