from __future__ import annotations

import pytest
from pydantic import ValidationError

from approvals.policies import PolicyDocument, ProposedEffect, evaluate, hold_seconds
from approvals.starter import REFUNDS


def effect(minor, currency="USD", order=0):
    return ProposedEffect(amount_minor=minor, currency=currency, order_minor=order)


def policy(**changes):
    return PolicyDocument(**(REFUNDS.model_dump() | changes))


@pytest.mark.parametrize("minor", [1, 499_99, 99_999_999_999])
def test_the_starting_policy_wants_a_person_for_every_refund(minor):
    assert evaluate(REFUNDS, effect(minor)).kind == "needs_person"


@pytest.mark.parametrize(
    ("minor", "currency", "seconds"),
    [
        (499_99, "USD", 0),
        (500_00, "USD", 10),
        (74_999, "JPY", 0),
        (75_000, "JPY", 10),
        (149_990, "KWD", 0),
        (150_000, "KWD", 10),
        (99_999_999, "EUR", 0),
    ],
)
def test_the_starting_policy_holds_a_grant_from_an_amount_on(minor, currency, seconds):
    assert hold_seconds(REFUNDS, minor, currency) == seconds


def test_the_highest_hold_that_is_reached_decides():
    rows = [{"from_minor": 900, "seconds": 30}, {"from_minor": 100, "seconds": 5}]

    held = policy(hold={"USD": rows})

    assert [hold_seconds(held, minor, "USD") for minor in (99, 100, 899, 900)] == [0, 5, 5, 30]


@pytest.mark.parametrize(("minor", "kind"), [(1000, "needs_person"), (1001, "never")])
def test_what_is_above_the_maximum_is_never_allowed(minor, kind):
    assert evaluate(policy(max_minor={"USD": 1000}), effect(minor)).kind == kind


def test_a_maximum_in_one_currency_says_nothing_about_another():
    assert evaluate(policy(max_minor={"USD": 1000}), effect(5000, "JPY")).kind == "needs_person"


@pytest.mark.parametrize(
    ("minor", "order", "kind"),
    [
        (1000, 0, "go"),
        (1001, 0, "needs_person"),
        (400, 600, "go"),
        (401, 600, "needs_person"),
        (1, None, "needs_person"),
    ],
)
def test_a_rule_allows_small_amounts_only_while_their_order_stays_small(minor, order, kind):
    small = policy(automatic={"USD": 1000})

    assert evaluate(small, effect(minor, order=order)).kind == kind


def test_the_maximum_comes_before_the_rule_that_allows():
    both = policy(automatic={"USD": 1000}, max_minor={"USD": 500})

    assert evaluate(both, effect(501)).code == "above_maximum"


@pytest.mark.parametrize(
    "changes",
    [
        {"needs": 0},
        {"needs": "1"},
        {"decide_within_s": 0},
        {"use_within_s": 69},
        {"hold": {"usd": []}},
        {"automatic": {"USD": 0}},
        {"max_minor": {"USD": 1.5}},
        {"require_surface": "api"},
        {"unheard_of": 1},
    ],
)
def test_a_document_that_is_not_one_is_refused(changes):
    with pytest.raises(ValidationError):
        policy(**changes)


def test_a_grant_may_just_outlive_its_hold_and_the_grace():
    assert policy(use_within_s=70).use_within_s == 70
