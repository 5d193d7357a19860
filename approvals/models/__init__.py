"""The rows of approvals: who may decide what, under which policy, and what was decided."""

from __future__ import annotations

from approvals.models.approval import Approval, Consumption, Vote
from approvals.models.authority import Authority, AuthorityUsage
from approvals.models.change import WorkspaceChange
from approvals.models.membership import AccessToken, LimitGroup, Membership
from approvals.models.policy import PolicyVersion

__all__ = [
    "AccessToken",
    "Approval",
    "Authority",
    "AuthorityUsage",
    "Consumption",
    "LimitGroup",
    "Membership",
    "PolicyVersion",
    "Vote",
    "WorkspaceChange",
]
