"""What people, and time, may do to approvals, settle and change: a transaction each."""

from __future__ import annotations

from approvals.handlers.administer import change_member, set_limit
from approvals.handlers.change_policy import PolicyMove, change_policy
from approvals.handlers.decide import decide
from approvals.handlers.erase import erase_by_operator, erase_person
from approvals.handlers.expire import expire
from approvals.handlers.observe import observe
from approvals.handlers.revoke import revoke
from approvals.handlers.settle import settle

__all__ = [
    "PolicyMove",
    "change_member",
    "change_policy",
    "decide",
    "erase_by_operator",
    "erase_person",
    "expire",
    "observe",
    "revoke",
    "set_limit",
    "settle",
]
