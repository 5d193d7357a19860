from __future__ import annotations

import pytest

from approvals.models import Vote
from tests.factories import approve, event_types, make_approval, reject

pytestmark = pytest.mark.django_db(transaction=True)


def test_one_approval_grants_the_question_and_authorizes_the_call(world):
    approval = make_approval(world)

    answer = approve(world, "reviewer", approval)

    approval.refresh_from_db()
    assert answer.receipt.http_status == 200
    assert approval.status == "granted"
    assert approval.tool_call.execution_status == "authorized"
    assert event_types(approval.run) == [
        "run.started",
        "tool.call.proposed",
        "policy.decided",
        "approval.requested",
        "approval.voted",
        "approval.granted",
        "tool.call.authorized",
    ]
    assert answer.receipt.event_positions == [5, 6, 7]
    assert Vote.objects.get().person == world.people["reviewer"]


def test_one_rejection_refuses_the_call(world):
    approval = make_approval(world)

    answer = reject(world, "reviewer", approval)

    approval.refresh_from_db()
    assert answer.receipt.http_status == 200
    assert approval.status == "rejected"
    assert approval.tool_call.execution_status == "refused"
    assert event_types(approval.run)[4:] == [
        "approval.voted",
        "approval.rejected",
        "tool.call.refused",
    ]
