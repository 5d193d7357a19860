"""Assert that a refused command left everything as it was."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from approvals.models import Approval, Vote
from approvals.reducers import ApprovalState
from runtime.models import Event, Receipt, Timer, ToolCall
from runtime.projections import state_of
from runtime.reducers import CallState


@contextmanager
def nothing_happens(approval: Approval, *, receipts: int) -> Iterator[None]:
    """No event, no vote, no move of any row or timer; and so many receipts, no more."""
    before, kept = picture(approval), Receipt.objects.count()
    yield
    assert picture(approval) == before
    assert Receipt.objects.count() - kept == receipts


def picture(approval: Approval) -> dict[str, Any]:
    row = Approval.objects.get(pk=approval.pk)
    call = ToolCall.objects.get(pk=approval.tool_call_id)
    return {
        "events": Event.objects.filter(run=approval.run).count(),
        "votes": Vote.objects.filter(approval=approval).count(),
        "approval": state_of(ApprovalState, row),
        "call": state_of(CallState, call),
        "timers": list(Timer.objects.values_list("kind", "subject", "due_at").order_by("pk")),
    }
