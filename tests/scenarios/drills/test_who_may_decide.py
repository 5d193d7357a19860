"""Those behind a run never decide about it, at any amount and by any path."""

from __future__ import annotations

import pytest

from tests.factories import make_world
from tests.scenarios.refunds import codes, new
from tests.scenarios.stored import stored_in
from tests.stack import Api


def test_d7_the_declared_initiator_cannot_approve_one_cent_while_others_can(desk):
    refund = desk.refund(1, run=desk.run(initiator="reviewer"))

    answer = refund.decide("reviewer")

    assert codes([answer]) == [(403, "conflict_of_interest")]
    assert answer.json()["because"] == ["initiator"]
    assert refund.approval["status"] == "pending"
    assert refund.decide("reviewer2").status_code == 200
    refund.when_confirmed()
    assert refund.payouts == 1


def test_d8_the_author_of_the_ticket_a_scheduled_run_works_on_cannot_approve_it(desk):
    refund = desk.refund(run=desk.run(ticket={"ref": "T-1", "author": "reviewer2"}))

    answer = refund.decide("reviewer2")

    assert codes([answer]) == [(403, "conflict_of_interest")]
    assert (refund.approval["status"], refund.payouts) == ("pending", 0)


@pytest.mark.parametrize("declared", [{}, {"initiator": "reviewer"}, {"initiator": "admin"}])
def test_d7_the_owner_of_the_agent_who_made_its_token_cannot_approve_whatever_is_declared(
    desk, declared
):
    refund = desk.refund(1, run=desk.run(**declared))

    answer = refund.decide("admin")

    assert codes([answer]) == [(403, "not_authorized")]
    assert (refund.approval["status"], refund.payouts) == ("pending", 0)


@pytest.mark.parametrize("by", ["support", "agent", "admin2"])
def test_no_role_but_the_reviewers_decides(desk, by):
    refund = desk.refund(1)

    answer = refund.decide(by)

    assert codes([answer]) == [(403, "not_authorized")]
    assert (refund.approval["status"], refund.payouts) == ("pending", 0)


def test_d9_over_the_limit_is_offered_to_those_who_may(desk):
    refund = desk.refund(1_000_01)

    answer = refund.decide("reviewer")

    assert codes([answer]) == [(403, "over_limit")]
    assert answer.json()["needs"] == ["seniors"]
    assert (refund.approval["status"], refund.payouts) == ("pending", 0)


@pytest.mark.parametrize("by", ["reviewer", "senior"])
def test_d9_nobody_may_approve_in_a_currency_without_a_limit(desk, by):
    refund = desk.refund(1, "EUR")

    answer = refund.decide(by)

    assert codes([answer]) == [(403, "no_limit_for_currency")]
    assert (refund.approval["status"], refund.payouts) == ("pending", 0)


def test_one_order_cannot_be_split_into_refunds_below_the_limit(desk):
    run = desk.run()
    first, second = desk.refund(600_00, run=run), desk.refund(600_00, run=run)

    answers = [first.decide("reviewer"), second.decide("reviewer")]

    assert codes(answers) == [(200, "ok"), (403, "over_limit")]
    assert second.approval["status"] == "pending"
    assert first.revoke("reviewer").status_code == 200
    assert (first.payouts, second.payouts) == (0, 0)


@pytest.fixture
def stranger(desk, django_db_blocker):
    """The agent of another workspace of the same installation."""
    with django_db_blocker.unblock(), stored_in(desk.stack):
        world = make_world(new("other"))
    api = Api(desk.stack.url, world.secret)
    yield api
    api.http.close()


def test_what_another_workspace_holds_answers_like_what_does_not_exist(desk, stranger):
    refund = desk.refund()
    approval = refund.approval["id"]
    command = {"command_id": new("command"), "kind": "stop"}
    nothing = "00000000-0000-7000-8000-000000000000"

    def answers_about(run, call, asked):
        decision = {"decision": "approve", "revision": 1, "digest": "0" * 64}
        paths = [
            ("GET", f"/runs/{run}", None),
            ("GET", f"/runs/{run}/events", None),
            ("GET", f"/tool-calls/{call}", None),
            ("GET", f"/approvals/{asked}", None),
            ("POST", f"/runs/{run}/commands", command),
            ("POST", f"/approvals/{asked}/decisions", {"command_id": "x", **decision}),
            ("POST", f"/approvals/{asked}/revocations", {"command_id": "x", "reason": "x"}),
        ]
        sent = [stranger.send(*each) for each in paths]
        return [(answer.status_code, answer.content) for answer in sent]

    theirs = answers_about(refund.run["id"], refund.call["id"], approval)

    assert theirs == answers_about(nothing, nothing, nothing)
    assert {status for status, _ in theirs} == {404}
    assert (refund.approval["status"], refund.payouts) == ("pending", 0)
