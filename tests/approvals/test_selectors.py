from __future__ import annotations

from datetime import timedelta

import pytest

from approvals.models import Approval, Authority
from approvals.selectors import refusals
from approvals.states import Decision
from runtime.commands import Refused
from runtime.event_log import database_now
from tests.factories import (
    approve,
    make_approval,
    make_grant,
    make_run,
    mixed_questions,
    move_clock,
    new_policy,
    observe,
    refusal_of,
    reject,
)


def _plain(world):
    return make_approval(world)


def _settled(world):
    return make_grant(world)


def _overdue(world):
    approval = make_approval(world)
    move_clock(approval, decide_by=timedelta(seconds=-1))
    return approval


def _conflict(world):
    return make_approval(world, make_run(world, initiator=world.people["reviewer"].pk))


def _too_much(world):
    return make_approval(world, minor=1_000_01)


def _no_limit(world):
    return make_approval(world, currency="EUR")


def _disputed(world):
    approval = make_approval(world)
    observe(approval.tool_call, disputed=True)
    return approval


def _voted(world):
    new_policy(world, needs=2)
    approval = make_approval(world)
    approve(world, "reviewer", approval)
    return approval


def _too_much_in_sum(world):
    run = make_run(world)
    make_grant(world, run, minor=600_00)
    return make_approval(world, run, minor=500_00)


def _too_much_for_today(world):
    Authority.objects.filter(group__name="reviewers").update(day_limit_minor=1000)
    make_grant(world, minor=600)
    return make_approval(world, minor=500)


# What takes no answer, and what takes a rejection still.
CLOSED = [_settled, _overdue, _conflict, _too_much, _no_limit]
REJECTABLE = [_disputed, _too_much_in_sum, _too_much_for_today, _voted]
DECIDE = {Decision.APPROVE: approve, Decision.REJECT: reject}


def shown(world, name, approvals):
    rows = Approval.objects.select_related("run", "tool_call", "policy")
    asked = list(rows.filter(pk__in=[approval.pk for approval in approvals]))
    return refusals(world.actor(name), asked, now=database_now())


def shown_of(world, name, approval):
    return shown(world, name, [approval])[approval.pk]


@pytest.mark.parametrize("decision", Decision)
@pytest.mark.parametrize("make", [*CLOSED, *REJECTABLE, _plain])
def test_a_page_shows_the_very_reason_the_handler_gives(world, make, decision):
    approval = make(world)

    reason = shown_of(world, "reviewer", approval)[decision]

    answer = DECIDE[decision](world, "reviewer", approval)
    assert reason == (answer.refusal if isinstance(answer, Refused) else None)


@pytest.mark.parametrize(
    ("make", "open_to"),
    [
        *((make, set()) for make in CLOSED),
        *((make, {Decision.REJECT}) for make in REJECTABLE),
        (_plain, set(Decision)),
    ],
)
def test_what_may_not_be_approved_can_often_still_be_rejected(world, make, open_to):
    found = shown_of(world, "reviewer", make(world))

    assert {each for each in Decision if found[each] is None} == open_to


@pytest.mark.parametrize("name", ["support", "admin", "agent"])
def test_a_page_tells_other_roles_that_they_do_not_decide(world, name):
    approval = make_approval(world)

    refused = refusal_of(approve(world, name, approval))

    assert shown_of(world, name, approval) == dict.fromkeys(Decision, refused)


def test_many_are_answered_like_each_alone(world):
    Authority.objects.filter(group__name="reviewers").update(day_limit_minor=2_200_00)
    approvals = [make(world) for make in [*CLOSED, _disputed, _too_much_in_sum, _plain]]
    run = approvals[-2].run
    approvals += [make_approval(world, run, minor=minor) for minor in (300_00, 400_00, 400_01)]
    new_policy(world, needs=2)
    approvals += [make_approval(world, minor=minor) for minor in (999_00, 700_00)]
    approve(world, "reviewer", approvals[-2])

    together = shown(world, "reviewer", approvals)

    assert together == {each.pk: shown_of(world, "reviewer", each) for each in approvals}
    assert {refusal and refusal.code for one in together.values() for refusal in one.values()} == {
        None,
        "already_settled",
        "already_voted",
        "conflict_of_interest",
        "expired",
        "no_limit_for_currency",
        "over_limit",
        "precondition_failed",
    }


def test_nothing_is_answered_about_nothing(world):
    assert shown(world, "reviewer", []) == {}


def test_sixty_questions_cost_the_queries_of_two(world, django_assert_max_num_queries):
    few = mixed_questions(world, 2)
    with django_assert_max_num_queries(12) as counted:
        shown(world, "reviewer", few)
    many = mixed_questions(world, 60)

    with django_assert_max_num_queries(len(counted)):
        found = shown(world, "reviewer", many)

    assert len(found) == 60
