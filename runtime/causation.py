"""Which fact brought another about. Pure: told by its transaction, and by the row it is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from runtime.event_types import Recorded

# Somebody's will, and nothing in the log led to it: the receipt says whose.
ROOTS: Final = frozenset({"run.started", "run.stop_requested", "run.completed", "run.failed"})
# Closed because of what is recorded beside it, and nothing comes of it.
CLOSED_WITH: Final = frozenset({"approval.cancelled"})


def cause_of(
    event_type: str, call_id: UUID | None, before: Sequence[Recorded], known: UUID | None
) -> UUID | None:
    """Answer the event that led to a fact about a call, or about the run where it names none.

    `before`: what this transaction recorded so far; the last of it that is about the
    same call, or about the run, led here. Where there is none, it is the `known` one:
    the last event that changed what the fact is about.
    """
    if event_type in ROOTS:
        return None
    for fact in reversed(before):
        said = fact.envelope
        is_near = call_id is None or said.tool_call_id in (None, call_id)
        if is_near and said.event_type not in CLOSED_WITH:
            return said.event_id
    return known
