"""Rows become view models here, in a bounded number of queries whatever their number."""

from __future__ import annotations

from console.reads.approvals import approval_cards, approvals_of
from console.reads.audit import audit_lines, audit_page
from console.reads.calls import call_cards, calls_of
from console.reads.cases import open_cases
from console.reads.causes import causes_of, effects_of
from console.reads.events import event_views, feed_views, timeline
from console.reads.packs import evidence_pack
from console.reads.receipts import receipt_view
from console.reads.runs import run_view, run_views
from console.reads.trajectories import trajectory_of

__all__ = [
    "approval_cards",
    "approvals_of",
    "audit_lines",
    "audit_page",
    "call_cards",
    "calls_of",
    "causes_of",
    "effects_of",
    "event_views",
    "evidence_pack",
    "feed_views",
    "open_cases",
    "receipt_view",
    "run_view",
    "run_views",
    "timeline",
    "trajectory_of",
]
