"""Stopping a run is a row of facts: what could be stopped, what had left, and the end."""

from __future__ import annotations

import time
from datetime import datetime
from functools import partial

import pytest

from tests.scenarios.refunds import at_once, codes, wait_until


def run_of(refund):
    return refund.stack.api("admin").get(f"/runs/{refund.run['id']}")


def when_stopped(refund):
    wait_until(lambda: run_of(refund)["status"] == "stopped")
    return datetime.fromisoformat(run_of(refund)["ended_at"])


def test_stopping_a_run_cancels_what_waits_and_no_approval_revives_it(desk):
    waiting = desk.refund()
    held = desk.granted(500_00, run=waiting.run)

    assert waiting.command("reviewer", "stop").status_code == 200

    when_stopped(waiting)
    assert [each.now["execution_status"] for each in (waiting, held)] == ["cancelled"] * 2
    assert codes([waiting.decide("reviewer")]) == [(409, "already_settled")]
    assert codes([waiting.command("agent", "resume")]) == [(409, "run_ended")]
    assert (waiting.payouts, held.payouts) == (0, 0)


def test_a_run_stopped_while_its_refund_is_out_says_irreversible_and_ends_after_the_answer(desk):
    refund = desk.refund()
    desk.fault(refund, "delay", seconds=3)
    refund.decide("reviewer")
    wait_until(lambda: "tool.attempt.sent" in refund.events)

    assert refund.command("reviewer", "stop").status_code == 200

    assert run_of(refund)["status"] == "stopping"
    when_stopped(refund)
    events = refund.events
    assert "tool.call.found_irreversible" in events
    assert events.index("tool.attempt.closed") < events.index("run.stopped")
    refund.when_confirmed()
    assert refund.payouts == 1


def test_after_a_stop_request_a_lost_refund_is_only_looked_up(desk):
    refund = desk.refund()
    desk.fault(refund, "drop_request")
    refund.decide("reviewer")
    refund.when_status("result_unknown", "reconciling")

    refund.command("reviewer", "stop")

    refund.when_status("manual_handoff")
    assert (refund.payouts, len(refund.requests)) == (0, 1)


@pytest.mark.drill
@pytest.mark.parametrize("wait_s", [each / 40 for each in range(25)])
def test_d13_stopped_against_approved_there_is_never_a_payout_after_run_stopped(desk, wait_s):
    refunds = [desk.refund() for _ in range(4)]

    def stop(refund):
        time.sleep(wait_s)
        return refund.command("reviewer2", "stop")

    approvals = [partial(refund.decide, "reviewer") for refund in refunds]
    at_once(approvals + [partial(stop, refund) for refund in refunds])

    for refund in refunds:
        ended_at = when_stopped(refund)
        paid = [entry for entry in refund.requests if entry["moved_money"]]
        late = [entry for entry in paid if datetime.fromisoformat(entry["at"]) > ended_at]
        events = refund.events
        after = events[events.index("run.stopped") :]
        assert (late, "tool.attempt.sent" in after) == ([], False)
        assert len(paid) == events.count("approval.consumed") - events.count("tool.call.aborted")
