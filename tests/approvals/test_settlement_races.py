from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from approvals.models import Approval, Consumption
from runtime.models import Event, ToolCall
from tests.approvals.racing import race
from tests.factories import approve, event_types, make_world, reject, revoke, status_of
from tests.handoffs import find_late, make_handoff, make_settlement, settle

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.drill]

ROUNDS = 25
OK = (200, "ok")
ASKED = (202, "ok")
GONE = (409, "not_handed_off")
ENDS = ("tool.call.completed", "tool.call.failed")


@pytest.fixture
def world(transactional_db):
    return make_world()


def ends_of(call) -> list[str]:
    return [each for each in event_types(call.run) if each in ENDS]


def test_of_two_settlements_at_once_one_counts(world):
    for _ in range(ROUNDS):
        call = make_handoff(world)

        answers = race(
            [
                partial(settle, world, "admin", call, "failed"),
                partial(settle, world, "admin2", call, "not_executed"),
            ]
        )

        assert Counter(map(status_of, answers)) == {OK: 1, GONE: 1}
        assert ends_of(call) == ["tool.call.failed"]


def test_of_two_who_ask_at_once_one_question_is_open(world):
    for _ in range(ROUNDS):
        call = make_handoff(world)

        answers = race(
            [partial(settle, world, name, call, "completed") for name in ("admin", "admin2")]
        )

        assert Counter(map(status_of, answers)) == {ASKED: 1, (409, "settlement_pending"): 1}
        assert Approval.objects.filter(tool_call=call, status="pending").count() == 1


def test_a_settlement_and_a_late_answer_at_once_end_the_call_once(world):
    for _ in range(ROUNDS):
        call = make_handoff(world)

        racers: list[Callable[[], Any]] = [
            partial(settle, world, "admin", call, "not_executed"),
            partial(find_late, call),
        ]
        answer, _ = race(racers)

        call.refresh_from_db()
        settled = status_of(answer) == OK
        assert call.execution_status == ("failed" if settled else "completed")
        assert ends_of(call) == [f"tool.call.{call.execution_status}"]
        assert ("tool.call.settled" in event_types(call.run)) is settled


@pytest.mark.parametrize("late", [find_late, None])
def test_a_confirmation_and_whatever_else_settles_the_call_end_it_once(world, late):
    for _ in range(ROUNDS):
        approval = make_settlement(world)
        call = approval.tool_call
        other = partial(late, call) if late else partial(settle, world, "admin", call, "failed")

        answer, _ = race([partial(approve, world, "admin2", approval), other])

        approval.refresh_from_db()
        confirmed = status_of(answer) == OK
        assert approval.status == ("consumed" if confirmed else "cancelled")
        assert confirmed or status_of(answer) == (409, "already_settled")
        assert Consumption.objects.filter(approval=approval).exists() is confirmed
        assert len(ends_of(call)) == 1


@pytest.mark.parametrize("other", [reject, revoke])
def test_a_confirmation_and_a_no_at_once_never_both_count(world, other):
    for _ in range(ROUNDS):
        approval = make_settlement(world)

        answers = race(
            [partial(approve, world, "admin2", approval), partial(other, world, "admin2", approval)]
        )

        approval.refresh_from_db()
        call = ToolCall.objects.get(pk=approval.tool_call_id)
        assert Counter(map(status_of, answers))[OK] == 1
        confirmed = approval.status == "consumed"
        assert call.execution_status == ("completed" if confirmed else "manual_handoff")


def test_a_confirmation_sent_many_times_at_once_settles_once(world):
    for _ in range(5):
        approval = make_settlement(world)

        answers = race([partial(approve, world, "admin2", approval)] * 6)

        assert Counter(map(status_of, answers)) == {OK: 1, (409, "already_settled"): 5}
        settled = Event.objects.filter(run=approval.run, event_type="tool.call.settled")
        assert settled.count() == 1
