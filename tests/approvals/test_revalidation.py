"""What changed between a grant and its spending, and what that does to the grant."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import transaction

from approvals.access import issue_token
from approvals.models import Approval, Authority, Consumption
from approvals.rules import withdraw_policy
from approvals.states import Role
from runtime.event_log import database_now
from runtime.gates import Changed, Lost, Spent, Waiting
from runtime.models import Observation, Person, ToolCall
from runtime.reservations import reserve_for
from tests.approvals.nothing import nothing_happens
from tests.factories import (
    approve,
    event_types,
    locked_run,
    make_approval,
    make_good_grant,
    make_grant,
    make_run,
    move_clock,
    new_policy,
    observe,
    spend,
)
from tests.folded import altered_on_purpose

A_SECOND_AGO = timedelta(seconds=-1)


@pytest.mark.parametrize(
    "altered",
    [
        {"arguments": '{"payment":"pi_other"}'},
        {"amount_minor": 501},
        {"currency": "JPY"},
        {"target": "pi_other"},
        {"revision": 2},
        {"capability": "refund-payment@2"},
    ],
)
def test_what_is_not_the_approved_effect_never_leaves(world, altered):
    approval = make_good_grant(world)
    altered_on_purpose.add(approval.run_id)
    ToolCall.objects.filter(pk=approval.tool_call_id).update(**altered)

    verdict = spend(approval.tool_call)

    approval.refresh_from_db()
    detail = "The arguments are not the ones that were approved."
    assert verdict == Changed(code="arguments_changed", detail=detail)
    assert (approval.status, approval.settled_code) == ("invalidated", "arguments_changed")
    assert event_types(approval.run)[-1] == "approval.invalidated"


def _left(world, approval):
    world.people["reviewer"].memberships.update(active=False)


def _account_closed(world, approval):
    Person.objects.filter(pk=world.people["reviewer"].pk).update(is_active=False)


def _made_support(world, approval):
    world.people["reviewer"].memberships.update(role=Role.SUPPORT)


def _limit_lowered(world, approval):
    Authority.objects.filter(group__name="reviewers").update(limit_minor=499)


def _day_limit_lowered(world, approval):
    Authority.objects.filter(group__name="reviewers").update(day_limit_minor=499)


def _limit_gone(world, approval):
    Authority.objects.filter(group__name="reviewers", currency="USD").delete()


def _out_of_the_group(world, approval):
    world.people["reviewer"].memberships.get().groups.clear()


def _became_the_owner(world, approval):
    world.people["agent"].memberships.update(owner=world.people["reviewer"])


def _made_a_token(world, approval):
    agent = world.people["agent"]
    issue_token(world.workspace, agent, creator=world.people["reviewer"], scopes=["propose"])


def _withdrawn(world, approval):
    withdraw_policy(world.policy)


def _new_version(world, approval):
    new_policy(world, needs=2)


def _vote_gone(world, approval):
    altered_on_purpose.add(approval.run_id)
    Approval.objects.filter(pk=approval.pk).update(needed=2)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (_left, "approver_left"),
        (_account_closed, "approver_left"),
        (_made_support, "approver_left"),
        (_limit_lowered, "limit_lowered"),
        (_day_limit_lowered, "limit_lowered"),
        (_limit_gone, "limit_lowered"),
        (_out_of_the_group, "limit_lowered"),
        (_became_the_owner, "conflict_of_interest"),
        (_made_a_token, "conflict_of_interest"),
        (_withdrawn, "policy_withdrawn"),
        (_new_version, "policy_changed"),
        (_vote_gone, "votes_missing"),
    ],
)
def test_a_person_or_policy_that_changed_since_takes_the_grant_along(world, change, code):
    approval = make_good_grant(world)
    change(world, approval)

    verdict = spend(approval.tool_call)

    approval.refresh_from_db()
    assert isinstance(verdict, Lost)
    assert verdict.code == code
    assert (approval.status, approval.settled_code) == ("invalidated", code)
    assert event_types(approval.run)[-1] == "approval.invalidated"
    assert not Consumption.objects.exists()


def test_one_bad_vote_of_two_takes_the_grant_along(world):
    new_policy(world, needs=2)
    approval = make_approval(world)
    approve(world, "reviewer", approval)
    approve(world, "reviewer2", approval)
    observe(approval.tool_call)
    world.people["reviewer"].memberships.update(active=False)

    assert isinstance(spend(approval.tool_call), Lost)


@pytest.mark.parametrize(
    ("facts", "code"),
    [
        ({"exists": False}, "payment_exists"),
        ({"disputed": True}, "not_disputed"),
        ({"captured_minor": 499}, "within_remainder"),
    ],
)
def test_a_world_that_changed_since_refuses_the_call_with_its_reason(world, facts, code):
    approval = make_good_grant(world)
    observe(approval.tool_call, **facts)

    verdict = spend(approval.tool_call)

    approval.refresh_from_db()
    assert isinstance(verdict, Changed)
    assert verdict.code == code
    assert (approval.status, approval.settled_code) == ("invalidated", code)


def test_what_others_have_reserved_is_not_left(world):
    first, second = make_good_grant(world, payment="pi_one"), make_grant(world, payment="pi_one")
    observe(second.tool_call, captured_minor=900)
    with transaction.atomic():
        locked_run(first.tool_call)
        reserve_for(first.tool_call)

    verdict = spend(second.tool_call)

    assert isinstance(verdict, Changed)
    assert verdict.code == "within_remainder"


class TestFacts:
    def test_none_at_all_make_it_wait(self, world):
        approval = make_grant(world)

        self.waits(approval)

    def test_from_before_the_grant_make_it_wait(self, world):
        approval = make_approval(world)
        observe(approval.tool_call)
        approve(world, "reviewer", approval)

        self.waits(approval)

    @pytest.mark.parametrize(("age_s", "is_fresh"), [(29, True), (31, False)])
    def test_older_than_thirty_seconds_make_it_wait(self, world, age_s, is_fresh):
        approval = make_good_grant(world)
        as_of = database_now() - timedelta(seconds=age_s)
        move_clock(approval, granted_at=timedelta(minutes=-1))
        Observation.objects.update(as_of=as_of)

        if is_fresh:
            assert isinstance(spend(approval.tool_call), Spent)
        else:
            self.waits(approval)

    def waits(self, approval):
        with nothing_happens(approval, receipts=0):
            verdict = spend(approval.tool_call)
        assert isinstance(verdict, Waiting)
        assert verdict.code == "facts_unreadable"


def test_a_later_approval_by_somebody_else_does_not_undo_an_earlier_one(world):
    run = make_run(world)
    first = make_grant(world, run, minor=900_00)
    move_clock(first, hold_until=A_SECOND_AGO)
    make_grant(world, run, minor=900_00, by="senior")
    observe(first.tool_call)

    assert isinstance(spend(first.tool_call), Spent)
