"""What people, and time, may do to an approval: one module a command, one transaction each."""

from __future__ import annotations

from approvals.handlers.decide import decide
from approvals.handlers.expire import expire
from approvals.handlers.revoke import revoke

__all__ = ["decide", "expire", "revoke"]
