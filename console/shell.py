"""What frames every page and socket of a workspace: what waits, and what stands still."""

from __future__ import annotations

from datetime import datetime
from typing import Final
from uuid import UUID

from approvals.models import Approval
from approvals.states import ApprovalStatus
from console.reads.run_status import heard

NOT_HEARD: Final = {
    "worker": "No dispatch worker heard for 15 s. Nothing leaves until one is back.",
    "relay": "No relay heard for 15 s. Timers and wake-ups stand still until one is back.",
}


def waiting(workspace: UUID) -> int:
    return Approval.objects.filter(workspace=workspace, status=ApprovalStatus.PENDING).count()


def health(now: datetime) -> tuple[str, ...]:
    """Say which kind of process is missing, and what that means."""
    up = heard(now)
    return tuple(sentence for kind, sentence in NOT_HEARD.items() if kind not in up)
