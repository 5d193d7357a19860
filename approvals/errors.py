"""What stops somebody who sets a workspace up."""

from __future__ import annotations


class NotPossibleError(Exception):
    """What was asked for contradicts a rule; nothing was changed. `field`: what to correct."""

    def __init__(self, detail: str, *, field: str = "body") -> None:
        super().__init__(detail)
        self.field = field
