"""Who may decide at all, and about what: roles, people behind the run, limits."""

from __future__ import annotations

import pytest

from approvals.access import issue_token
from approvals.setup import add_member
from approvals.states import Decision, Role
from runtime.models import Person
from tests.approvals.nothing import nothing_happens
from tests.factories import (
    approve,
    make_approval,
    make_run,
    new_policy,
    refusal_of,
    reject,
    status_of,
)


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

    because = ["agent_owner", "token_creator", "proposal_editor", "policy_author"]
    assert refusal_of(answer).extra == {"because": because}


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
