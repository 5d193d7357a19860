from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from approvals.models import Approval, Authority, Consumption, Vote
from runtime.gates import Spent
from runtime.models import Event, Person, Receipt
from tests.approvals.racing import race
from tests.factories import (
    approve,
    event_types,
    make_approval,
    make_grant,
    make_run,
    make_world,
    observe,
    refusal_of,
    reject,
    revoke,
    spend,
    status_of,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.drill]

OK = (200, "ok")
SETTLED = (409, "already_settled")
DECISIONS = ["approval.granted", "approval.rejected"]
HALF = 500_00
PEOPLE = ("reviewer", "reviewer2", "senior")


@pytest.fixture
def world(transactional_db):
    return make_world()


def decisions_of(approval):
    return Event.objects.filter(approval_id=approval.pk, event_type__in=DECISIONS).count()


def assert_one_winner(approval, answers, names):
    """One decision on record, one applied receipt, and every loser told who it was."""
    statuses = Counter(status_of(answer) for answer in answers)
    assert statuses == {OK: 1, SETTLED: len(answers) - 1}
    approval.refresh_from_db()
    name = names[[status_of(answer) for answer in answers].index(OK)]
    winner = f"person:{Person.objects.get(username=name).pk}"
    told = [refusal_of(answer).extra for answer in answers if status_of(answer) != OK]
    at = approval.settled_at.isoformat()
    assert told == [{"status": approval.status, "by": winner, "at": at}] * len(told)
    assert decisions_of(approval) == 1
    assert Vote.objects.filter(approval=approval).count() == 1
    receipts = Receipt.objects.filter(target=approval.pk)
    assert (receipts.count(), receipts.filter(status="applied").count()) == (len(answers), 1)
    positions = list(approval.run.events.order_by("position").values_list("position", flat=True))
    assert positions == list(range(1, len(positions) + 1))


@pytest.mark.parametrize(("size", "rounds"), [(4, 10), (50, 1)])
def test_of_many_approvals_at_once_one_counts(world, size, rounds):
    names = [PEOPLE[number % 3] for number in range(size)]
    for _ in range(rounds):
        approval = make_approval(world)

        answers = race([partial(approve, world, name, approval) for name in names])

        assert_one_winner(approval, answers, names)
        assert approval.status == "granted"


@pytest.mark.parametrize(("size", "rounds"), [(4, 20), (50, 1)])
def test_of_approvals_and_rejections_at_once_one_wins(world, size, rounds):
    names = [PEOPLE[number % 3] for number in range(size)]
    answer_of = [approve if number % 2 else reject for number in range(size)]
    for _ in range(rounds):
        approval = make_approval(world)

        answers = race(
            [
                partial(answer, world, name, approval)
                for answer, name in zip(answer_of, names, strict=True)
            ]
        )

        assert_one_winner(approval, answers, names)
        assert approval.status in {"granted", "rejected"}


def test_the_same_command_sent_at_once_is_carried_out_once(world):
    approval = make_approval(world)
    same = partial(approve, world, "reviewer", approval, command_id="one")

    answers = race([same] * 8)

    assert [status_of(answer) for answer in answers] == [OK] * 8
    assert Counter(answer.replayed for answer in answers) == {False: 1, True: 7}
    assert Receipt.objects.count() == 1
    assert decisions_of(approval) == 1


def test_one_command_id_used_on_many_approvals_at_once_counts_for_one(world):
    approvals = [make_approval(world) for _ in range(6)]

    answers = race(
        [partial(approve, world, "reviewer", each, command_id="one") for each in approvals]
    )

    mismatch = (422, "idempotency_mismatch")
    assert Counter(status_of(answer) for answer in answers) == {OK: 1, mismatch: 5}
    assert Approval.objects.filter(status="granted").count() == 1
    assert Receipt.objects.count() == 1


def test_a_revocation_and_a_spending_at_once_never_both_happen(world):
    for _ in range(100):
        approval = make_grant(world)
        call = approval.tool_call
        observe(call)

        racers: list[Callable[[], Any]] = [
            partial(revoke, world, "admin", approval),
            partial(spend, call),
        ]
        answer, verdict = race(racers)

        approval.refresh_from_db()
        outcome = (status_of(answer), isinstance(verdict, Spent), approval.status)
        spent = Consumption.objects.filter(approval=approval).exists()
        assert outcome == (
            ((409, "too_late"), True, "consumed") if spent else (OK, False, "revoked")
        )
        assert ("approval.consumed" in event_types(approval.run)) is spent


def test_a_grant_dispatched_by_many_workers_at_once_is_spent_once(world):
    approval = make_grant(world)
    observe(approval.tool_call)

    verdicts = race([partial(spend, approval.tool_call)] * 8)

    assert sum(isinstance(verdict, Spent) for verdict in verdicts) == 1
    assert event_types(approval.run).count("approval.consumed") == 1


@pytest.mark.parametrize("what", ["order", "payment", "day"])
def test_approvals_at_once_do_not_pass_a_limit_together(world, what):
    """Four questions of half the limit in four runs: two of them fit, whoever comes first."""
    for number in range(5):
        approvals = [_half(world, what, number) for _ in range(4)]

        answers = race([partial(approve, world, "reviewer", each) for each in approvals])

        statuses = Counter(status_of(answer) for answer in answers)
        assert statuses == {OK: 2, (403, "over_limit"): 2}


def _half(world, what, number):
    match what:
        case "order":
            run = make_run(world, subject={"order_id": f"same-{number}"})
            return make_approval(world, run, minor=HALF)
        case "payment":
            run = make_run(world, subject={"ticket": "names no order"})
            return make_approval(world, run, minor=HALF, payment=f"pi_same_{number}")
        case _:
            rows = Authority.objects.filter(group__name="reviewers", currency="USD")
            rows.update(day_limit_minor=2 * HALF * (number + 1))
            return make_approval(world, minor=HALF)
