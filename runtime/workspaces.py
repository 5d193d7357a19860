"""Lock a workspace itself, for what concerns all of it and no run."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from runtime.event_log import database_now
from runtime.models import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedWorkspace:
    """A workspace whose administrators wait for this transaction; no run's log tells of it."""

    workspace: Workspace
    now: datetime
    positions: tuple[int, ...] = ()


def lock_workspace(workspace: UUID) -> LockedWorkspace:
    """Make those who change a workspace's people and rules take turns; runs don't wait."""
    row = Workspace.objects.select_for_update(no_key=True).get(pk=workspace)
    return LockedWorkspace(workspace=row, now=database_now())
