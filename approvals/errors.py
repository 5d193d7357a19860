"""What stops somebody who sets a workspace up."""

from __future__ import annotations


class NotPossibleError(Exception):
    """What was asked for contradicts a rule; nothing was changed."""
