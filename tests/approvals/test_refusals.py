"""Every refusal of a decision, in the order in which docs/api.md lists them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from approvals.handlers import expire
from approvals.models import Approval
from approvals.states import Decision
from runtime.texts import read_texts
from tests.approvals.nothing import nothing_happens
from tests.factories import (
    approve,
    make_approval,
    make_call,
    make_run,
    move_clock,
    observe,
    receipt_of,
    refusal_of,
    reject,
    revoke,
    status_of,
)

A_SECOND_AGO = timedelta(seconds=-1)
OTHER_DIGEST = "0" * 64


def test_a_rejection_needs_a_reason(world):
    approval = make_approval(world)

    with nothing_happens(approval, receipts=0):
        answer = reject(world, "reviewer", approval, reason_code=None)

    assert status_of(answer) == (422, "reason_required")


def test_a_superseded_question_names_its_latest_successor(world):
    run = make_run(world)
    approval = make_approval(world, run, intent="it", payment="pi_it", minor=500)
    make_call(world, run, intent="it", payment="pi_it", minor=600)
    make_call(world, run, intent="it", payment="pi_it", minor=700)
    latest = Approval.objects.get(status="pending")

    with nothing_happens(latest, receipts=1):
        answer = approve(world, "reviewer", approval)

    assert status_of(answer) == (412, "superseded")
    assert refusal_of(answer).extra == {
        "current": {"approval": str(latest.pk), "revision": 3, "digest": latest.digest}
    }


@pytest.mark.parametrize("swept", [True, False])
def test_a_question_whose_time_is_over_is_expired_swept_or_not(world, swept):
    approval = make_approval(world)
    move_clock(approval, decide_by=A_SECOND_AGO)
    if swept:
        expire(approval.pk)

    with nothing_happens(approval, receipts=1):
        answer = approve(world, "reviewer", approval)

    assert status_of(answer) == (410, "expired")


@pytest.mark.parametrize("decision", list(Decision))
def test_whoever_comes_second_is_told_who_won(world, decision):
    approval = make_approval(world)
    winner = approve(world, "reviewer", approval)

    with nothing_happens(approval, receipts=1):
        answer = {"approve": approve, "reject": reject}[decision](world, "reviewer2", approval)

    assert status_of(answer) == (409, "already_settled")
    assert refusal_of(answer).extra == {
        "status": "granted",
        "by": world.actor("reviewer").name,
        "at": receipt_of(winner).received_at.isoformat(),
    }


@pytest.mark.parametrize("settle", [reject, revoke])
def test_a_question_that_was_settled_otherwise_stays_settled(world, settle):
    approval = make_approval(world)
    settle(world, "reviewer" if settle is reject else "admin", approval)

    with nothing_happens(approval, receipts=1):
        answer = approve(world, "reviewer2", approval)

    assert status_of(answer) == (409, "already_settled")


@pytest.mark.parametrize("change", [{"revision": 2}, {"digest": OTHER_DIGEST}])
def test_a_decision_about_something_else_is_stale(world, change):
    approval = make_approval(world)

    with nothing_happens(approval, receipts=1):
        answer = approve(world, "reviewer", approval, **change)

    assert status_of(answer) == (412, "stale")
    assert refusal_of(answer).extra == {"revision": 1, "digest": approval.digest}


@pytest.mark.parametrize(
    ("facts", "name"),
    [
        ({"exists": False}, "payment_exists"),
        ({"currency": "EUR"}, "same_currency"),
        ({"disputed": True}, "not_disputed"),
        ({"captured_minor": 499}, "within_remainder"),
    ],
)
def test_facts_known_to_be_wrong_stand_in_the_way_of_an_approval(world, facts, name):
    approval = make_approval(world, minor=500)
    seen = observe(approval.tool_call, **facts)

    with nothing_happens(approval, receipts=1):
        answer = approve(world, "reviewer", approval)

    assert status_of(answer) == (409, "precondition_failed")
    assert refusal_of(answer).extra["name"] == name
    assert refusal_of(answer).extra["as_of"] == seen.as_of.isoformat()


def test_wrong_facts_do_not_stand_in_the_way_of_a_rejection(world):
    approval = make_approval(world)
    observe(approval.tool_call, disputed=True)

    assert status_of(reject(world, "reviewer", approval)) == (200, "ok")


def _superseded(world):
    run = make_run(world, initiator=world.people["reviewer"].pk)
    approval = make_approval(world, run, intent="it", payment="pi_it", currency="EUR")
    make_call(world, run, intent="it", payment="pi_it", currency="EUR", minor=600)
    move_clock(approval, decide_by=A_SECOND_AGO)
    return approval


def _expired(world):
    approval = _open(world)
    move_clock(approval, decide_by=A_SECOND_AGO)
    return approval


def _settled(world):
    approval = _open(world)
    revoke(world, "admin", approval)
    return approval


def _open(world):
    run = make_run(world, initiator=world.people["reviewer"].pk)
    approval = make_approval(world, run, currency="EUR")
    observe(approval.tool_call, disputed=True)
    return approval


@pytest.mark.parametrize(
    ("make", "name", "wrong", "expected"),
    [
        (_superseded, "support", {"reason_code": None}, "not_authorized"),
        (_superseded, "reviewer", {"reason_code": None}, "reason_required"),
        (_superseded, "reviewer", {"digest": OTHER_DIGEST}, "superseded"),
        (_expired, "reviewer", {"digest": OTHER_DIGEST}, "expired"),
        (_settled, "reviewer", {"digest": OTHER_DIGEST}, "already_settled"),
        (_open, "reviewer", {"digest": OTHER_DIGEST}, "stale"),
        (_open, "reviewer", {}, "conflict_of_interest"),
        (_open, "reviewer2", {}, "no_limit_for_currency"),
    ],
)
def test_of_several_reasons_the_contract_says_which_is_given(world, make, name, wrong, expected):
    approval = make(world)

    answer = reject(world, name, approval, **wrong)

    assert status_of(answer)[1] == expected


def test_an_earlier_answer_comes_before_every_reason_there_is_now(world):
    approval = make_approval(world)
    approve(world, "reviewer", approval, command_id="one")
    revoke(world, "admin", approval)

    with nothing_happens(approval, receipts=0):
        again = approve(world, "reviewer", approval, command_id="one")

    assert again.replayed
    assert status_of(again) == (200, "ok")


def test_a_refused_command_keeps_its_note(world):
    approval = make_approval(world, minor=1_000_01)

    answer = approve(world, "reviewer", approval, note="Looks fine to me")

    note = receipt_of(answer).note
    assert read_texts([note]) == {note: "Looks fine to me"}
