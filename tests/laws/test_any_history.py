"""What holds for every log, whatever anybody did and in whichever order."""

from __future__ import annotations

from collections import Counter

import pytest
from django.db.models import Count
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from approvals import folding as approvals
from approvals.models import Approval, Consumption
from console.reads import trajectory_of
from console.view_models.trajectory import TrajectoryView
from runtime import folding as runtime
from runtime.models import Event, Run, ToolCall
from runtime.states import CALL_FINAL
from runtime.verify import log_differences
from tests.laws.causes import unexplained
from tests.laws.history import MOVES, History
from tests.laws.schemas import unlike_their_schemas

trajectories = TypeAdapter(TrajectoryView)
OFTEN = ("propose", "approve", "work", "work", "settle")
PROFILES = ("key_and_lookup", "neither", "key_only", "lookup_only")
LEAVING = ("tool.call.dispatching", "tool.attempt.opened", "tool.attempt.sent")
choices = st.integers(min_value=0, max_value=5)
moves = st.lists(
    st.tuples(st.sampled_from((*OFTEN, *MOVES)), choices, choices), min_size=5, max_size=30
)


@pytest.mark.django_db
@given(moves=moves, profile=st.sampled_from(PROFILES))
@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_the_laws_hold_after_every_history(sandbox, moves, profile):
    history = History(sandbox, profile)

    # No log is empty, and every refund may leave.
    history.propose(0, 0)
    history.approve(0, 0)
    if profile == "neither":
        # Nobody can be asked what became of it but people.
        history.lose(0, 0)
        history.work(0, 0)
        history.work(0, 0)
    for name, first, second in moves:
        getattr(history, name)(first, second)

    runs = Run.objects.filter(workspace=history.world.workspace)
    for run in runs:
        assert runtime.fold(run.pk) == runtime.rows(run.pk)
        assert approvals.fold(run.pk) == approvals.rows(run.pk)
        assert list(log_differences(run.pk)) == []
        assert list(unlike_their_schemas(run)) == []
        assert leavings_after_the_end(run) == []
        assert unexplained(run) == []
        assert graded_as(run) == run.head
    for call in history.calls:
        event(f"a call is {call.execution_status}")
    assert asked_about_what_is_settled(history) == []
    assert consumed_twice(history) == []
    assert live_twice(history) == []
    assert badly_paid(history) == Counter()


def graded_as(run):
    """How far a run's trajectory goes; it is the same whenever it is read."""
    told = trajectory_of(run)
    assert trajectories.dump_json(told) == trajectories.dump_json(trajectory_of(run))
    return told.steps[-1].position


def leavings_after_the_end(run):
    """Whatever left, or was about to, although the run had stopped."""
    stopped = Event.objects.filter(run=run, event_type="run.stopped").first()
    if stopped is None:
        return []
    after = Event.objects.filter(run=run, position__gt=stopped.position, event_type__in=LEAVING)
    return list(after.values_list("position", "event_type"))


def consumed_twice(history):
    facts = Event.objects.filter(workspace=history.world.workspace)
    spent = facts.filter(event_type="approval.consumed").values_list("approval_id", flat=True)
    return [approval for approval, times in Counter(spent).items() if times > 1]


def live_twice(history):
    live = ToolCall.objects.filter(workspace=history.world.workspace)
    live = live.exclude(execution_status__in=sorted(CALL_FINAL)).order_by()
    twice = live.values("intent").annotate(times=Count("pk")).filter(times__gt=1)
    return list(twice.values_list("intent", flat=True))


def asked_about_what_is_settled(history):
    """Questions to people about calls that are not, or no longer, on their desk."""
    asked = Approval.objects.filter(workspace=history.world.workspace, purpose="settlement")
    open_ones = asked.filter(status__in=["pending", "granted"])
    settled = open_ones.exclude(tool_call__execution_status="manual_handoff")
    return list(settled.values_list("pk", flat=True))


def badly_paid(history):
    """Requests that paid out more than once, or without an approval spent on them."""
    journals = map(history.sandbox.control.journal, history.intents)
    paid = [each["metadata"] for journal in journals for each in journal if each["moved_money"]]
    spent = Consumption.objects.filter(approval__workspace=history.world.workspace)
    spent = spent.filter(approval__purpose="effect")
    allowed = Counter(spent.values_list("tool_call__external_request_id", flat=True))
    return Counter(each["external_request_id"] for each in paid) - allowed
