"""Each fact names the fact that brought it about: `later <- earlier`, by type."""

from __future__ import annotations

from datetime import timedelta

import pytest

from approvals import handlers
from approvals.models import Approval
from runtime.execution import looking_up
from runtime.execution.attempts import mark_sent
from runtime.execution.recovery import open_next, take_up
from runtime.execution.sending import record_answer
from runtime.execution.spending import spend
from runtime.execution.verification import verify
from runtime.handlers import RunCommand, ask_gates, command_run
from runtime.models import Event, ProviderAccount, ToolCall
from runtime.providers.answers import Completed, Throttled
from runtime.providers.facts import RefundFacts
from runtime.providers.profiles import PROFILES
from tests.factories import (
    approve,
    make_approval,
    make_call,
    make_grant,
    make_run,
    move_clock,
    new_policy,
    reject,
    revoke,
)
from tests.handoffs import (
    make_handoff,
    make_inconclusive,
    make_sent,
    make_settlement,
    observe_outcome,
    reading_of,
    settle,
)

ASKED = [
    "run.started <- None",
    "tool.call.proposed <- run.started",
    "policy.decided <- tool.call.proposed",
    "approval.requested <- policy.decided",
]
GRANTED = [
    *ASKED,
    "approval.voted <- approval.requested",
    "approval.granted <- approval.voted",
    "tool.call.authorized <- approval.granted",
]
SENT = [
    *GRANTED,
    "payment.observed <- tool.call.authorized",
    "approval.consumed <- payment.observed",
    "tool.call.dispatching <- approval.consumed",
    "tool.attempt.opened <- tool.call.dispatching",
    "tool.attempt.sent <- tool.attempt.opened",
    "tool.attempt.closed <- tool.attempt.sent",
]
HANDED_OFF = [
    *SENT,
    "tool.call.result_unknown <- tool.attempt.closed",
    "tool.call.reconciling <- tool.call.result_unknown",
    "payment.observed <- tool.call.reconciling",
    "tool.call.handed_off <- payment.observed",
]
SETTLED = [
    *HANDED_OFF,
    "approval.settlement_requested <- tool.call.handed_off",
    "approval.voted <- approval.settlement_requested",
    "approval.granted <- approval.voted",
    "approval.consumed <- approval.granted",
    "tool.call.settled <- approval.consumed",
    "tool.call.completed <- tool.call.settled",
    "outcome.inconclusive <- tool.call.completed",
]


def causes(run) -> list[str]:
    """The whole log, each event with the type of its cause."""
    rows = list(Event.objects.filter(run=run).order_by("position"))
    types = {row.event_id: row.event_type for row in rows} | {None: None}
    return [f"{row.event_type} <- {types[row.causation_id]}" for row in rows]


def command(world, run, kind, **fields):
    command_run(world.actor("agent"), run.pk, RunCommand(command_id=kind, kind=kind, **fields))


def test_a_refund_that_succeeds(world):
    call = make_sent(world, answer=Completed(result_ref="re_1"))
    ours = RefundFacts(
        id="re_1",
        amount_minor=call.amount_minor,
        currency=call.currency,
        status="succeeded",
        intent=call.intent,
        external_request_id=call.external_request_id,
    )

    verify(call.pk, reading_of(call, ours))

    assert causes(call.run) == [
        *SENT,
        "tool.call.completed <- tool.attempt.closed",
        "outcome.pending <- tool.call.completed",
        "payment.observed <- outcome.pending",
        "outcome.confirmed_success <- payment.observed",
    ]


def test_a_rejection(world):
    approval = make_approval(world)

    reject(world, "reviewer", approval)

    assert causes(approval.run) == [
        *ASKED,
        "approval.voted <- approval.requested",
        "approval.rejected <- approval.voted",
        "tool.call.refused <- approval.rejected",
    ]


def test_two_votes_answer_the_question_and_not_each_other(world):
    new_policy(world, needs=2)
    approval = make_approval(world)

    approve(world, "reviewer", approval)
    approve(world, "reviewer2", approval)

    assert causes(approval.run) == [
        *ASKED,
        "approval.voted <- approval.requested",
        "approval.voted <- approval.requested",
        "approval.granted <- approval.voted",
        "tool.call.authorized <- approval.granted",
    ]


def test_a_revision(world):
    run = make_run(world)
    make_call(world, run, intent="the-intent", minor=500)

    make_call(world, run, intent="the-intent", minor=600)

    assert causes(run) == [
        *ASKED,
        "tool.call.revised <- tool.call.proposed",
        "policy.decided <- tool.call.revised",
        "approval.superseded <- policy.decided",
        "approval.requested <- approval.superseded",
    ]


def test_a_revocation(world):
    approval = make_grant(world)

    revoke(world, "admin", approval)

    assert causes(approval.run) == [
        *GRANTED,
        "approval.revoked <- approval.granted",
        "tool.call.refused <- approval.revoked",
    ]


def test_nobody_answering_in_time(world):
    approval = make_approval(world)
    move_clock(approval, decide_by=timedelta(seconds=-1))

    handlers.expire(approval.pk)

    assert causes(approval.run) == [
        *ASKED,
        "approval.expired <- approval.requested",
        "tool.call.refused <- approval.expired",
    ]


def test_a_stop_brings_everything_about_that_it_cancels(world):
    run = make_run(world)
    make_call(world, run)
    make_call(world, run)

    command(world, run, "stop")

    assert causes(run) == [
        *ASKED,
        "tool.call.proposed <- run.started",
        *ASKED[2:],
        "run.stop_requested <- None",
        "approval.cancelled <- run.stop_requested",
        "tool.call.cancelled <- run.stop_requested",
        "approval.cancelled <- run.stop_requested",
        "tool.call.cancelled <- run.stop_requested",
        "run.stopped <- tool.call.cancelled",
    ]


def test_a_stop_keeps_an_attempt_from_leaving(world):
    approval = make_grant(world)
    account = ProviderAccount.objects.create(
        workspace=world.workspace, provider="stripe", label="t", secret=b""
    )
    claim = spend(approval.tool_call_id, account, reading_of(approval.tool_call))
    assert claim is not None

    command(world, approval.run, "stop")
    mark_sent(claim)

    assert causes(approval.run) == [
        *SENT[:-2],
        "run.stop_requested <- None",
        "tool.call.cancellation_requested <- run.stop_requested",
        "tool.attempt.closed <- run.stop_requested",
        "tool.call.aborted <- tool.attempt.closed",
        "run.stopped <- tool.call.aborted",
    ]


def test_another_attempt_comes_of_the_one_before(world):
    call = make_sent(world, answer=Throttled(code="rate_limit"))

    token = take_up(call.pk)
    assert token is not None
    claim = open_next(call.pk, token, reading_of(call))
    assert claim is not None
    mark_sent(claim)
    record_answer(claim, Completed(result_ref="re_1"))

    assert causes(call.run) == [
        *SENT,
        "payment.observed <- tool.attempt.closed",
        "tool.attempt.opened <- payment.observed",
        "tool.attempt.sent <- tool.attempt.opened",
        "tool.attempt.closed <- tool.attempt.sent",
        "tool.call.completed <- tool.attempt.closed",
        "outcome.pending <- tool.call.completed",
    ]


def test_a_lost_answer_that_is_looked_up(world, settings):
    settings.SETTLE_DELAY_S = 0
    call = make_sent(world)
    look_up = looking_up.begin(call.pk)
    assert look_up is not None

    looking_up.conclude(look_up, reading_of(call), PROFILES["key_and_lookup"])

    assert causes(call.run) == [
        *HANDED_OFF[:-1],
        "tool.attempt.opened <- payment.observed",
    ]


def test_a_settlement_by_one_admin(world):
    call = make_handoff(world)

    settle(world, "admin", call, "not_executed")

    assert causes(call.run) == [
        *HANDED_OFF,
        "tool.call.settled <- tool.call.handed_off",
        "tool.call.failed <- tool.call.settled",
    ]


def test_a_settlement_closes_the_question_about_another(world):
    approval = make_settlement(world)

    settle(world, "admin2", approval.tool_call, "failed")

    assert causes(approval.run) == [
        *HANDED_OFF,
        SETTLED[len(HANDED_OFF)],
        "tool.call.settled <- tool.call.handed_off",
        "approval.cancelled <- tool.call.settled",
        "tool.call.failed <- tool.call.settled",
    ]


def test_a_settlement_by_two_admins_and_what_a_third_saw(world):
    call = make_inconclusive(world)

    observe_outcome(world, "admin", call)

    assert causes(call.run) == [
        *SETTLED,
        "outcome.observed <- outcome.inconclusive",
        "outcome.confirmed_success <- outcome.observed",
    ]


def test_a_retry_comes_of_how_the_call_ended(world):
    approval = make_approval(world)
    reject(world, "reviewer", approval)

    command(world, approval.run, "retry", tool_call=approval.tool_call_id)

    assert causes(approval.run)[7:] == [
        "tool.call.proposed <- tool.call.refused",
        "policy.decided <- tool.call.proposed",
        "approval.requested <- policy.decided",
    ]


def test_a_denial_comes_of_the_call_that_keeps_the_gate_shut(world):
    call = make_sent(world)

    ask_gates(world.actor("agent"), call.run_id)

    assert causes(call.run)[-1] == "continuation.denied <- tool.call.result_unknown"


def test_what_is_proposed_after_a_grant_comes_of_the_grant(world):
    run = make_run(world)
    ask_gates(world.actor("agent"), run.pk)

    make_call(world, run)

    assert causes(run) == [
        "run.started <- None",
        "continuation.granted <- run.started",
        "tool.call.proposed <- continuation.granted",
        *ASKED[2:],
    ]


@pytest.mark.parametrize("kind", ["stop", "finish"])
def test_the_end_of_a_run_is_somebodys_will(world, kind):
    run = make_run(world)

    command(world, run, kind)

    ends = {"stop": ["run.stop_requested <- None", "run.stopped <- run.stop_requested"]}
    assert causes(run)[1:] == ends.get(kind, ["run.completed <- None"])


def test_rows_keep_the_event_that_changed_them(world):
    approval = make_grant(world)

    rows = {row.event_type: row.event_id for row in Event.objects.filter(run=approval.run)}

    call = ToolCall.objects.get(pk=approval.tool_call_id)
    assert call.last_event == rows["tool.call.authorized"]
    assert Approval.objects.get(pk=approval.pk).last_event == rows["approval.granted"]
