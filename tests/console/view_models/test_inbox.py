from __future__ import annotations

from datetime import timedelta

from approvals.states import ApprovalStatus
from console.view_models.inbox import by_urgency
from tests.console.view_models.examples import NOW, a_card, an_approval


def test_what_runs_out_first_stands_first_and_what_is_settled_last():
    later = a_card(an_approval(1, decide_by=NOW + timedelta(minutes=50)))
    soon = a_card(an_approval(2, decide_by=NOW + timedelta(minutes=5)))
    settled = a_card(an_approval(3, ApprovalStatus.REJECTED))

    assert by_urgency([settled, later, soon]) == (soon, later, settled)
