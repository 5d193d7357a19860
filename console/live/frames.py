"""What is sent to a socket, encoded once however many sockets get it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

from console.members import Member


@dataclass(frozen=True, slots=True, kw_only=True)
class Audience:
    """Those who are sent the same bytes: a member, and the form they read."""

    member: Member
    as_json: bool = False


@dataclass(frozen=True, kw_only=True)
class Frame:
    """One thing as it is now; `target` names it, `position` says how new it is."""

    target: str
    content: str
    run: UUID | None = None
    position: int = 0

    @cached_property
    def text(self) -> str:
        """A fragment of HTML, for the element that `target` selects."""
        fragment = {
            "kind": "fragment",
            "target": self.target,
            "swap": "outerMorph",
            "content": self.content,
            "run": str(self.run) if self.run else None,
            "position": self.position,
        }
        return json.dumps(fragment, ensure_ascii=False)


@dataclass(frozen=True, kw_only=True)
class StateFrame(Frame):
    """The same as data: `content` is the frame itself."""

    @cached_property
    def text(self) -> str:
        return self.content
