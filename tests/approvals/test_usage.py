from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from approvals.models import Authority, AuthorityUsage, Vote
from approvals.usage import midnight, used_by
from runtime.event_log import database_now
from runtime.handlers import RunCommand, RunCommandKind, command_run
from tests.approvals.nothing import nothing_happens
from tests.factories import (
    approve,
    make_approval,
    make_grant,
    make_run,
    make_world,
    new_policy,
    observe,
    refusal_of,
    reject,
    revoke,
    spend,
    status_of,
)

OK = (200, "ok")
OVER = (403, "over_limit")
HALF, MORE = 500_00, 500_01


def test_splitting_an_order_does_not_help(world):
    run = make_run(world)
    make_grant(world, run, minor=HALF)
    second = make_approval(world, run, minor=MORE)

    with nothing_happens(second, receipts=1):
        answer = approve(world, "reviewer", second)

    assert status_of(answer) == OVER
    assert refusal_of(answer).extra == {"needs": ["seniors"]}


def test_the_limit_may_be_used_to_the_last_cent(world):
    run = make_run(world)
    make_grant(world, run, minor=HALF)

    assert status_of(approve(world, "reviewer", make_approval(world, run, minor=HALF))) == OK


def test_it_counts_whoever_approved_and_whichever_run_it_was(world):
    subject = {"order_id": "one-order"}
    make_grant(world, make_run(world, subject=subject), minor=HALF, by="senior")
    second = make_approval(world, make_run(world, subject=subject), minor=MORE)

    assert status_of(approve(world, "reviewer", second)) == OVER


def test_without_an_order_the_payment_counts(world):
    subject = {"ticket": "t-1"}
    make_grant(world, make_run(world, subject=subject), minor=HALF, payment="pi_one")
    second = make_approval(world, make_run(world, subject=subject), minor=MORE, payment="pi_one")

    assert status_of(approve(world, "reviewer", second)) == OVER


def test_what_was_spent_still_counts(world):
    run = make_run(world)
    first = make_grant(world, run, minor=499_99)
    observe(first.tool_call)
    spend(first.tool_call)

    assert status_of(approve(world, "reviewer", make_approval(world, run, minor=500_02))) == OVER


def _rejected(world, run):
    reject(world, "reviewer", make_approval(world, run, minor=HALF))


def _revoked(world, run):
    revoke(world, "admin", make_grant(world, run, minor=HALF))


def _withdrawn(world, run):
    call = make_grant(world, run, minor=HALF).tool_call_id
    command = RunCommand(command_id="w", kind=RunCommandKind.WITHDRAW, tool_call=call)
    command_run(world.actor("agent"), run.pk, command)


def _pending(world, run):
    make_approval(world, run, minor=HALF)


def _other_currency(world, run):
    make_grant(world, run, minor=75_000, currency="JPY")


@pytest.mark.parametrize("earlier", [_rejected, _revoked, _withdrawn, _pending, _other_currency])
def test_what_moves_nothing_of_this_currency_does_not_count(world, earlier):
    run = make_run(world)
    earlier(world, run)

    assert status_of(approve(world, "reviewer", make_approval(world, run, minor=MORE))) == OK


def test_other_orders_and_workspaces_do_not_count(world):
    elsewhere = make_world("elsewhere")
    subject = {"order_id": "same-name"}
    make_grant(elsewhere, make_run(elsewhere, subject=subject), minor=1_000_00)
    make_grant(world, minor=1_000_00)
    approval = make_approval(world, make_run(world, subject=subject), minor=1_000_00)

    assert status_of(approve(world, "reviewer", approval)) == OK


def test_a_vote_counts_for_its_own_person_while_the_question_is_pending(world):
    new_policy(world, needs=2)
    run = make_run(world)
    approve(world, "reviewer", make_approval(world, run, minor=HALF))
    second = make_approval(world, run, minor=MORE)

    assert status_of(approve(world, "reviewer", second)) == OVER
    assert status_of(approve(world, "reviewer2", second)) == OK


class TestDay:
    @pytest.fixture(autouse=True)
    def _limit(self, world):
        Authority.objects.filter(group__name="reviewers").update(day_limit_minor=1000)

    def test_a_person_has_so_much_a_day_over_all_orders(self, world):
        make_grant(world, minor=600)
        second = make_approval(world, minor=401)

        with nothing_happens(second, receipts=1):
            answer = approve(world, "reviewer", second)

        assert status_of(answer) == OVER
        assert refusal_of(answer).extra == {"needs": ["reviewers", "seniors"]}
        assert status_of(approve(world, "reviewer2", second)) == OK

    def test_a_vote_on_a_pending_question_counts(self, world):
        new_policy(world, needs=2)
        approve(world, "reviewer", make_approval(world, minor=600))

        assert status_of(approve(world, "reviewer", make_approval(world, minor=401))) == OVER

    def test_yesterday_does_not_count(self, world):
        make_grant(world, minor=600)
        asked, person = make_approval(world), world.people["reviewer"].pk
        now = database_now()

        days = [
            used_by(person, [asked], workspace=world.workspace, at=now + timedelta(days=days))
            for days in (0, 1)
        ]

        assert [day[asked.pk].day_minor for day in days] == [600, 0]


def test_each_of_several_questions_leaves_its_own_call_out(world):
    new_policy(world, needs=2)
    run, loose = make_run(world), make_run(world, subject={"ticket": "t-1"})
    asked = [
        make_approval(world, run, minor=100),
        make_approval(world, run, minor=20),
        make_approval(world, run, minor=3, currency="JPY"),
        make_approval(world, loose, minor=4, payment="pi_one"),
        make_approval(world, loose, minor=500, payment="pi_one"),
        make_approval(world, loose, minor=6000, payment="pi_two"),
    ]
    for approval in asked:
        approve(world, "reviewer", approval)

    person = world.people["reviewer"].pk
    used = used_by(person, asked, workspace=world.workspace, at=database_now())

    assert [used[each.pk].order_minor for each in asked] == [20, 100, 0, 500, 4, 0]
    assert [used[each.pk].day_minor for each in asked] == [
        6524, 6604, 0, 6620, 6124, 624,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("zone", "at", "began"),
    [
        ("UTC", "2026-05-01T10:30Z", "2026-05-01T00:00Z"),
        ("Pacific/Kiritimati", "2026-05-01T10:30Z", "2026-05-01T10:00Z"),
        ("Pacific/Pago_Pago", "2026-05-01T10:30Z", "2026-04-30T11:00Z"),
        ("America/New_York", "2026-03-08T12:00Z", "2026-03-08T05:00Z"),
        ("America/New_York", "2026-03-09T12:00Z", "2026-03-09T04:00Z"),
    ],
)
def test_a_day_begins_at_midnight_in_the_workspace(zone, at, began):
    assert midnight(zone, datetime.fromisoformat(at)) == datetime.fromisoformat(began)


def test_usage_rows_are_one_per_order_and_person(world):
    run = make_run(world)
    first = make_approval(world, run, payment="pi_one")
    second = make_approval(world, run, payment="pi_one")

    approve(world, "reviewer", first)
    approve(world, "reviewer", second)

    keys = AuthorityUsage.objects.order_by("key").values_list("key", flat=True)
    assert [key.partition(":")[0] for key in keys] == ["order", "person"]
    assert Vote.objects.count() == 2
