"""However often and by however many an approval is decided, one decision counts."""

from __future__ import annotations

import time
from contextlib import nullcontext
from datetime import UTC, datetime
from functools import partial

import pytest

from tests.scenarios.processes import held_up
from tests.scenarios.refunds import at_once, codes, new


def decisions_of(refund):
    return [each for each in refund.events if each in {"approval.granted", "approval.rejected"}]


def approve(api, seen):
    return api.decide(seen, "approve", command_id=new("vote"))


def reject(api, seen):
    return api.decide(seen, "reject", command_id=new("vote"), reason_code="other")


def sleep_until(moment, late_s=0.0):
    left = datetime.fromisoformat(moment) - datetime.now(UTC)
    time.sleep(max(0, left.total_seconds() + late_s))


def awake(stack):
    """The sweeper, which is the relay, at work."""
    return nullcontext()


def asleep(stack):
    return held_up(stack, "relay")


def test_d1_a_double_click_and_a_retried_post_are_one_decision_and_one_payout(desk):
    refund = desk.refund()
    command = new("click")
    click = partial(refund.decide, "reviewer", command_id=command)

    double = at_once([click, click])
    retried = click()

    assert [answer.status_code for answer in double] == [200, 200]
    assert sorted(answer.json()["replayed"] for answer in double) == [False, True]
    assert retried.json() == {**double[0].json(), "replayed": True}
    refund.when_confirmed()
    assert (refund.payouts, len(refund.requests)) == (1, 1)
    assert decisions_of(refund) == ["approval.granted"]


def test_a_command_id_used_again_for_another_answer_is_refused_and_changes_nothing(desk):
    refund = desk.refund()
    command = new("click")
    refund.decide("reviewer", command_id=command)

    answer = refund.decide("reviewer", "reject", command_id=command)

    assert codes([answer]) == [(422, "idempotency_mismatch")]
    refund.when_confirmed()
    assert refund.payouts == 1


def test_d2_of_fifty_approvals_at_once_one_wins_and_every_loser_is_told_who_won(desk):
    refund = desk.refund()
    seen = refund.approval
    people = ["reviewer", "reviewer2"] * 25
    vote = [partial(approve, desk.stack.api(by), seen) for by in people]

    answers = at_once(vote)

    assert [answer.status_code for answer in answers].count(200) == 1
    winner = people[[answer.status_code for answer in answers].index(200)]
    losers = [answer.json() for answer in answers if answer.status_code != 200]
    assert {(each["code"], each.get("by")) for each in losers} == {("already_settled", winner)}
    refund.when_confirmed()
    assert (refund.payouts, len(refund.requests)) == (1, 1)
    assert decisions_of(refund) == ["approval.granted"]


def test_d2_of_twenty_five_approvals_against_as_many_rejections_one_wins(desk):
    refund = desk.refund()
    seen = refund.approval
    votes = [("reviewer", approve), ("senior", reject)] * 25
    act = [partial(vote, desk.stack.api(by), seen) for by, vote in votes]

    answers = at_once(act)

    statuses = [answer.status_code for answer in answers]
    assert statuses.count(200) == 1
    winner, how = votes[statuses.index(200)]
    approved = how is approve
    losers = [answer.json() for answer in answers if answer.status_code != 200]
    assert {each["by"] for each in losers} == {winner}
    assert decisions_of(refund) == ["approval.granted" if approved else "approval.rejected"]
    ended = refund.when_over()
    assert ended["execution_status"] == ("completed" if approved else "refused")
    assert refund.payouts == (1 if approved else 0)


@pytest.mark.drill
@pytest.mark.parametrize("sweeper", [awake, asleep])
@pytest.mark.parametrize("late_s", [-1, -0.4, -0.2, -0.1, -0.05, 0, 0.05, 0.1, 0.3, 1])
def test_d6_an_approval_around_its_deadline_has_one_outcome_by_the_servers_clock(
    desk, late_s, sweeper
):
    with sweeper(desk.stack):
        refund = desk.refund(decide_within_s=2)
        seen = refund.approval
        sleep_until(seen["decide_by"], late_s)
        answer = desk.stack.api("reviewer").decide(seen, "approve")

    ended = refund.when_over()
    if answer.status_code == 200:
        voted_at = refund.approval["votes"]["cast"][0]["at"]
        assert datetime.fromisoformat(voted_at) < datetime.fromisoformat(seen["decide_by"])
        assert (ended["execution_status"], refund.payouts) == ("completed", 1)
    else:
        assert codes([answer]) == [(410, "expired")]
        assert (ended["execution_status"], refund.payouts) == ("refused", 0)
    assert late_s > -1 or answer.status_code == 200
    assert late_s < 1 or answer.status_code == 410


def test_nobody_decides_in_time_and_the_question_expires_into_no(desk):
    refund = desk.refund(decide_within_s=1)

    ended = refund.when_over()

    assert (ended["execution_status"], refund.approval["status"]) == ("refused", "expired")
    assert codes([refund.decide("reviewer")]) == [(410, "expired")]
    assert refund.payouts == 0


def test_a_question_is_over_by_its_clock_even_while_the_relay_sleeps(desk):
    refund = desk.refund(decide_within_s=1)
    with asleep(desk.stack):
        sleep_until(refund.approval["decide_by"], 0.1)
        answer = refund.decide("reviewer")
        status = refund.approval["status"]

    assert (codes([answer]), status) == ([(410, "expired")], "pending")
    assert refund.when_over()["execution_status"] == "refused"
    assert refund.payouts == 0
