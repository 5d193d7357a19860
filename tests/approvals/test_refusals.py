"""Every refusal of a decision, in the order in which docs/api.md lists them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from approvals.access import issue_token
from approvals.handlers import expire
from approvals.models import Approval
from approvals.setup import add_member
from approvals.states import Decision, Role
from runtime.models import Person
from runtime.texts import read_texts
from tests.approvals.nothing import nothing_happens
from tests.factories import (
    approve,
    make_approval,
    make_call,
    make_run,
    move_clock,
    new_policy,
    observe,
    receipt_of,
    refusal_of,
    reject,
    revoke,
    status_of,
)

A_SECOND_AGO = timedelta(seconds=-1)
OTHER_DIGEST = "0" * 64


@pytest.mark.parametrize("name", ["support", "admin", "admin2", "agent"])
def test_only_reviewers_decide(world, name):
    approval = make_approval(world)

    with nothing_happens(approval, receipts=0):
        answer = approve(world, name, approval)

    assert status_of(answer) == (403, "not_authorized")


def test_a_superuser_without_membership_decides_nothing(world):
    approval = make_approval(world)
    world.people["root"] = Person.objects.create_superuser("root")

    with nothing_happens(approval, receipts=0):
        answer = approve(world, "root", approval)

    assert status_of(answer) == (403, "not_authorized")


@pytest.mark.parametrize("table", ["membership", "account"])
def test_whoever_was_deactivated_decides_nothing(world, table):
    approval = make_approval(world)
    person = world.people["reviewer"]
    if table == "membership":
        person.memberships.update(active=False)
    else:
        Person.objects.filter(pk=person.pk).update(is_active=False)

    with nothing_happens(approval, receipts=0):
        answer = approve(world, "reviewer", approval)

    assert status_of(answer) == (403, "not_authorized")


def test_a_policy_may_take_decisions_on_a_page_only(world):
    new_policy(world, require_surface="browser")
    approval = make_approval(world)

    with nothing_happens(approval, receipts=0):
        answer = approve(world, "reviewer", approval)

    assert status_of(answer) == (403, "not_authorized")


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


@pytest.mark.parametrize("decision", list(Decision))
@pytest.mark.parametrize("because", ["initiator", "ticket_author"])
def test_whoever_is_declared_to_be_behind_the_run_decides_nothing(world, because, decision):
    run = make_run(world, **{because: world.people["reviewer"].pk})
    approval = make_approval(world, run, minor=1)

    with nothing_happens(approval, receipts=1):
        answer = {"approve": approve, "reject": reject}[decision](world, "reviewer", approval)

    assert status_of(answer) == (403, "conflict_of_interest")
    assert refusal_of(answer).extra == {"because": [because]}
    assert status_of(approve(world, "reviewer2", approval)) == (200, "ok")


def test_the_owner_of_the_agent_decides_nothing_even_as_a_reviewer(world):
    world.people["agent"].memberships.update(owner=world.people["reviewer"])
    approval = make_approval(world, minor=1)

    with nothing_happens(approval, receipts=1):
        answer = approve(world, "reviewer", approval)

    assert refusal_of(answer).extra == {"because": ["agent_owner"]}


def test_whoever_ever_made_the_agent_a_token_decides_nothing(world):
    maker = world.people["reviewer"]
    agent = world.people["agent"]
    issue_token(world.workspace, agent, creator=maker, scopes=["propose"])
    approval = make_approval(world, minor=1)

    with nothing_happens(approval, receipts=1):
        answer = approve(world, "reviewer", approval)

    assert refusal_of(answer).extra == {"because": ["token_creator"]}


def test_the_author_of_the_policy_version_decides_nothing(world):
    new_policy(world, author="reviewer")
    approval = make_approval(world, minor=1)

    with nothing_happens(approval, receipts=1):
        answer = approve(world, "reviewer", approval)

    assert refusal_of(answer).extra == {"because": ["policy_author"]}


def test_an_agent_made_a_reviewer_does_not_decide_about_its_own_proposal(world):
    approval = make_approval(world, minor=1)
    world.people["agent"].memberships.update(role=Role.REVIEWER)

    with nothing_happens(approval, receipts=1):
        answer = approve(world, "agent", approval)

    assert refusal_of(answer).extra == {"because": ["proposal_editor"]}


@pytest.mark.parametrize("name", ["reviewer", "senior"])
def test_without_a_limit_in_the_currency_nobody_may(world, name):
    approval = make_approval(world, currency="EUR", minor=1)

    with nothing_happens(approval, receipts=1):
        answer = approve(world, name, approval)

    assert status_of(answer) == (403, "no_limit_for_currency")


def test_a_reviewer_without_a_group_has_no_limit(world):
    world.people["loner"] = add_member(world.workspace, "loner", Role.REVIEWER).person
    approval = make_approval(world, minor=1)

    with nothing_happens(approval, receipts=1):
        answer = approve(world, "loner", approval)

    assert status_of(answer) == (403, "no_limit_for_currency")


@pytest.mark.parametrize(
    ("currency", "limit"), [("USD", 1_000_00), ("JPY", 150_000), ("KWD", 300_000)]
)
def test_above_the_limit_it_needs_somebody_else(world, currency, limit):
    at, above = (
        make_approval(world, currency=currency, minor=minor) for minor in (limit, limit + 10)
    )

    with nothing_happens(above, receipts=1):
        answer = approve(world, "reviewer", above)

    assert status_of(answer) == (403, "over_limit")
    assert refusal_of(answer).extra == {"needs": ["seniors"]}
    assert status_of(approve(world, "reviewer", at)) == (200, "ok")
    assert status_of(approve(world, "senior", above)) == (200, "ok")


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
