from __future__ import annotations

from datetime import timedelta

import pytest

from approvals.models import Approval, Vote
from approvals.states import Decision, ReasonCode
from runtime.handlers import RunCommand, RunCommandKind, command_run
from runtime.models import Receipt, Timer, ToolCall
from runtime.texts import read_texts
from tests.approvals.nothing import nothing_happens
from tests.factories import (
    approve,
    event_types,
    make_approval,
    make_call,
    make_run,
    make_world,
    new_policy,
    receipt_of,
    reject,
    status_of,
)

OK = (200, "ok")


def test_one_approval_grants_the_question_and_authorizes_the_call(world):
    approval = make_approval(world)

    answer = approve(world, "reviewer", approval)

    approval.refresh_from_db()
    assert status_of(answer) == OK
    assert approval.status == "granted"
    assert approval.settled_by == f"person:{world.people['reviewer'].pk}"
    assert ToolCall.objects.get().execution_status == "authorized"
    assert event_types(approval.run) == [
        "run.started",
        "tool.call.proposed",
        "policy.decided",
        "approval.requested",
        "approval.voted",
        "approval.granted",
        "tool.call.authorized",
    ]
    assert receipt_of(answer).event_positions == [5, 6, 7]
    assert Vote.objects.get().person == world.people["reviewer"]


def test_one_rejection_refuses_the_call(world):
    approval = make_approval(world)

    answer = reject(world, "reviewer", approval)

    approval.refresh_from_db()
    assert status_of(answer) == OK
    assert approval.status == "rejected"
    assert ToolCall.objects.get().execution_status == "refused"
    assert event_types(approval.run)[4:] == [
        "approval.voted",
        "approval.rejected",
        "tool.call.refused",
    ]
    assert not Timer.objects.exists()


@pytest.mark.parametrize(("minor", "hold_s"), [(499_99, 0), (500_00, 10)])
def test_a_grant_has_time_to_be_used_and_may_be_held_before_it_is(world, minor, hold_s):
    approval = make_approval(world, minor=minor)

    answer = approve(world, "reviewer", approval)

    approval.refresh_from_db()
    at = receipt_of(answer).received_at
    hold_until = at + timedelta(seconds=hold_s)
    assert approval.hold_until == (hold_until if hold_s else None)
    assert approval.use_by == at + timedelta(seconds=900)
    assert ToolCall.objects.get().not_before == hold_until
    assert Timer.objects.get(kind="approval.expire").due_at == approval.use_by


def test_the_note_is_kept_apart_from_the_log(world):
    approval = make_approval(world)

    answer = approve(world, "reviewer", approval, note="Spoke to Ms Ōta")

    vote = Vote.objects.get()
    assert read_texts([vote.note]) == {vote.note: "Spoke to Ms Ōta"}
    assert receipt_of(answer).note == vote.note
    assert not approval.run.events.filter(body__contains="Ōta").exists()


def test_the_same_command_again_gets_the_same_answer(world):
    approval = make_approval(world)
    first = approve(world, "reviewer", approval, command_id="one")

    with nothing_happens(approval, receipts=0):
        again = approve(world, "reviewer", approval, command_id="one")

    assert again.replayed
    assert again.receipt == first.receipt


def test_a_refusal_is_replayed_as_it_was_even_if_it_would_not_be_refused_now(world):
    approval = make_approval(world, minor=1_000_01)
    approve(world, "reviewer", approval, command_id="one")
    world.people["reviewer"].memberships.get().groups.set(
        world.people["senior"].memberships.get().groups.all()
    )

    with nothing_happens(approval, receipts=0):
        again = approve(world, "reviewer", approval, command_id="one")

    assert again.replayed
    assert status_of(again) == (403, "over_limit")


@pytest.mark.parametrize("change", [{"note": "Other"}, {"reason_code": ReasonCode.OTHER}])
def test_the_same_command_id_with_another_body_is_a_mismatch(world, change):
    approval = make_approval(world)
    approve(world, "reviewer", approval, command_id="one")

    with nothing_happens(approval, receipts=0):
        answer = approve(world, "reviewer", approval, command_id="one", **change)

    assert status_of(answer) == (422, "idempotency_mismatch")


def test_the_same_command_id_about_another_approval_is_a_mismatch(world):
    first, second = make_approval(world), make_approval(world)
    approve(world, "reviewer", first, command_id="one")

    with nothing_happens(second, receipts=0):
        answer = approve(world, "reviewer", second, command_id="one")

    assert status_of(answer) == (422, "idempotency_mismatch")


def test_two_people_may_use_the_same_command_id(world):
    first, second = make_approval(world), make_approval(world)

    answers = [
        approve(world, "reviewer", first, command_id="one"),
        approve(world, "reviewer2", second, command_id="one"),
    ]

    assert [status_of(answer) for answer in answers] == [OK, OK]


def test_an_approval_of_another_workspace_does_not_exist(world):
    approval = make_approval(world)
    elsewhere = make_world("elsewhere")

    with nothing_happens(approval, receipts=0), pytest.raises(Approval.DoesNotExist):
        approve(elsewhere, "reviewer", approval)


def test_two_refunds_of_one_run_are_decided_each_on_its_own(world):
    run = make_run(world)
    small, large = make_approval(world, run, minor=300), make_approval(world, run, minor=700)

    approve(world, "reviewer", large)
    reject(world, "reviewer2", small)

    statuses = ToolCall.objects.values_list("amount_minor", "execution_status")
    assert dict(statuses) == {300: "refused", 700: "authorized"}


class TestQuorum:
    @pytest.fixture(autouse=True)
    def _two_people(self, world):
        new_policy(world, needs=2)

    def test_the_first_of_two_votes_leaves_the_question_open(self, world):
        approval = make_approval(world)

        answer = approve(world, "reviewer", approval)

        approval.refresh_from_db()
        assert status_of(answer) == OK
        assert approval.status == "pending"
        assert event_types(approval.run)[-1] == "approval.voted"

    def test_the_second_person_grants_it(self, world):
        approval = make_approval(world)

        approve(world, "reviewer", approval)
        approve(world, "reviewer2", approval)

        approval.refresh_from_db()
        assert approval.status == "granted"
        assert Vote.objects.filter(approval=approval).count() == 2

    def test_nobody_votes_twice(self, world):
        approval = make_approval(world)
        approve(world, "reviewer", approval)

        with nothing_happens(approval, receipts=1):
            answer = approve(world, "reviewer", approval)

        assert status_of(answer) == (409, "already_voted")

    @pytest.mark.parametrize("who", ["reviewer", "reviewer2"])
    def test_a_veto_ends_it_even_by_somebody_who_approved(self, world, who):
        approval = make_approval(world)
        approve(world, "reviewer", approval)

        reject(world, who, approval)

        approval.refresh_from_db()
        assert approval.status == "rejected"
        assert list(approval.votes.values_list("decision", flat=True)) == ["approve", "reject"]

    def test_every_vote_must_be_entitled_alone(self, world):
        approval = make_approval(world, minor=1_000_01)
        approve(world, "senior", approval)

        with nothing_happens(approval, receipts=1):
            answer = approve(world, "reviewer", approval)

        assert status_of(answer) == (403, "over_limit")


def test_a_receipt_names_the_surface_and_the_kind(world):
    approve(world, "reviewer", make_approval(world))
    reject(world, "reviewer", make_approval(world))

    kinds = Receipt.objects.order_by("received_at").values_list("kind", "surface")
    assert list(kinds) == [(Decision.APPROVE, "api"), (Decision.REJECT, "api")]


def test_retrying_a_rejected_call_asks_again_and_the_retrier_may_decide(world):
    approval = make_approval(world)
    reject(world, "reviewer", approval)
    retry = RunCommand(
        command_id="again", kind=RunCommandKind.RETRY, tool_call=approval.tool_call_id
    )
    command_run(world.actor("reviewer"), approval.run_id, retry)

    fresh = Approval.objects.get(status="pending")
    assert fresh.tool_call.retry_of == approval.tool_call
    assert status_of(approve(world, "reviewer", fresh)) == OK
    approval.refresh_from_db()
    assert approval.status == "rejected"


def test_a_call_is_proposed_once_however_often_it_is_sent(world):
    run = make_run(world)
    first = make_call(world, run, intent="refund-me", payment="pi_one")

    second = make_call(world, run, intent="refund-me", payment="pi_one")

    assert first == second
    assert Approval.objects.count() == 1
