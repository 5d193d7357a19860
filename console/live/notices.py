"""Tell open sockets that somebody is no longer who they were."""

from __future__ import annotations

import hashlib
from uuid import UUID

from runtime import doorbell

SESSION_ENDED = "session.ended"
MEMBER_MOVED = "member.moved"
TEXTS_ERASED = "texts.erased"


def session_mark(session_key: str) -> str:
    """Name a session to other processes without giving the key away."""
    return hashlib.sha256(session_key.encode()).hexdigest()


def session_ended(session_key: str) -> None:
    doorbell.tell({"type": SESSION_ENDED, "session": session_mark(session_key)})


def member_moved(person: UUID) -> None:
    """A role, a membership or a token of this person has changed: look again."""
    doorbell.tell({"type": MEMBER_MOVED, "person": str(person)})


def erased(workspace: UUID, person: UUID | None) -> None:
    """What open pages of a workspace show may be gone; `person`: whose account is."""
    doorbell.tell({"type": TEXTS_ERASED, "workspace": str(workspace)})
    if person is not None:
        member_moved(person)
