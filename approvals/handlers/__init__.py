"""What people, and time, may do to approvals and settle: a module a command, a transaction each."""

from __future__ import annotations

from approvals.handlers.decide import decide
from approvals.handlers.expire import expire
from approvals.handlers.observe import observe
from approvals.handlers.revoke import revoke
from approvals.handlers.settle import settle

__all__ = ["decide", "expire", "observe", "revoke", "settle"]
