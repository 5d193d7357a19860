"""What to do about an unknown result, case by case."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from runtime.capabilities import Precondition
from runtime.execution import look_up_verdict as v
from runtime.money import Money
from runtime.providers.facts import PaymentFacts, RefundFacts
from runtime.providers.matching import Ambiguous, Found, NotFound, find_refund
from runtime.providers.profiles import PROFILES

NOW = datetime(2026, 1, 1, tzinfo=UTC)
A_MINUTE = timedelta(minutes=1)
OURS = RefundFacts(
    id="re_1",
    amount_minor=500,
    currency="USD",
    status="succeeded",
    intent="intent-1",
    external_request_id="csr_1",
)
FACTS = PaymentFacts(
    captured_minor=1000,
    refunded_minor=500,
    currency="USD",
    disputed=False,
    refunds=(OURS,),
    complete=True,
)
# A key that is alive, a list that is whole, and nothing of ours on it.
CASE = v.Case(
    match=NotFound(),
    profile=PROFILES["key_and_lookup"],
    now=NOW,
    quiet_since=NOW - A_MINUTE,
    settle_delay=A_MINUTE,
    key_until=NOW + A_MINUTE,
    was_lost=True,
    last_code=None,
    is_stopping=False,
    problem=None,
)
DISPUTED = Precondition(name="not_disputed", ok=False, as_of=NOW, detail="Disputed.")


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({}, v.SendAgain()),
        ({"match": Found(refund=OURS)}, v.Adopt(refund=OURS)),
        ({"match": Found(refund=OURS), "quiet_since": NOW}, v.Adopt(refund=OURS)),
        ({"match": Found(refund=OURS), "is_stopping": True}, v.Adopt(refund=OURS)),
        ({"match": Found(refund=OURS), "key_until": NOW}, v.Adopt(refund=OURS)),
        (
            {"match": Ambiguous(code="several_matches")},
            v.HandOff(code="several_matches", detail=v.AMBIGUOUS["several_matches"]),
        ),
        (
            {"quiet_since": NOW - A_MINUTE + timedelta(microseconds=1)},
            v.LookAgain(code="too_early"),
        ),
        ({"last_code": "charge_already_refunded", "was_lost": False}, v.BY_SOMEONE_ELSE),
        ({"last_code": "charge_already_refunded"}, v.LOST_THEN_REFUSED),
        ({"last_code": "charge_disputed"}, v.LOST_THEN_REFUSED),
        ({"last_code": "charge_disputed", "match": Found(refund=OURS)}, v.Adopt(refund=OURS)),
        (
            {"last_code": "charge_already_refunded", "quiet_since": NOW},
            v.LookAgain(code="too_early"),
        ),
        ({"last_code": "key_reused"}, v.KEY_REUSED),
        ({"is_stopping": True}, v.STOPPED),
        ({"key_until": NOW}, v.KEY_EXPIRED),
        ({"problem": DISPUTED}, v.HandOff(code="not_disputed", detail="Not found. Disputed.")),
        ({"profile": PROFILES["lookup_only"]}, v.NO_KEY),
        ({"profile": PROFILES["lookup_only"], "match": Found(refund=OURS)}, v.Adopt(refund=OURS)),
        ({"profile": PROFILES["key_only"]}, v.SendAgain()),
        ({"profile": PROFILES["key_only"], "quiet_since": NOW}, v.SendAgain()),
        ({"profile": PROFILES["key_only"], "is_stopping": True}, v.STOPPED),
        ({"profile": PROFILES["key_only"], "key_until": NOW}, v.KEY_EXPIRED),
        (
            {"profile": PROFILES["key_only"], "last_code": "charge_already_refunded"},
            v.LOST_THEN_REFUSED,
        ),
        (
            {
                "profile": PROFILES["key_only"],
                "last_code": "charge_already_refunded",
                "was_lost": False,
            },
            v.BY_SOMEONE_ELSE,
        ),
        ({"profile": PROFILES["neither"]}, v.NO_LOOK_UP),
    ],
)
def test_the_verdict_on_a_call_in_doubt(changes, verdict):
    assert v.decide(replace(CASE, **changes)) == verdict


def match(*refunds: RefundFacts, complete=True):
    facts = FACTS.model_copy(update={"refunds": refunds, "complete": complete})
    return find_refund(
        facts,
        external_request_id="csr_1",
        intent="intent-1",
        amount=Money(minor=500, currency="USD"),
    )


def like_ours(**changes) -> RefundFacts:
    return OURS.model_copy(update=changes)


@pytest.mark.parametrize(
    ("refunds", "found"),
    [
        ([], NotFound()),
        ([OURS], Found(refund=OURS)),
        ([like_ours(status="failed")], Found(refund=like_ours(status="failed"))),
        ([OURS, OURS], Ambiguous(code="several_matches")),
        ([like_ours(amount_minor=501)], Ambiguous(code="other_amount")),
        ([like_ours(currency="EUR")], Ambiguous(code="other_amount")),
        # The same amount is nobody's proof.
        ([like_ours(external_request_id=None, intent=None)], NotFound()),
        ([like_ours(external_request_id=None, intent="intent-2")], NotFound()),
        # The same intent under another reference is another epoch of it.
        ([like_ours(external_request_id="csr_0")], NotFound()),
        ([like_ours(external_request_id="csr_0"), OURS], Found(refund=OURS)),
        # Our intent without any reference can only be meant for this one.
        (
            [like_ours(external_request_id=None)],
            Found(refund=like_ours(external_request_id=None)),
        ),
        ([like_ours(external_request_id=None), OURS], Ambiguous(code="several_matches")),
    ],
)
def test_our_refund_is_found_by_our_reference(refunds, found):
    assert match(*refunds) == found


@pytest.mark.parametrize("refunds", [[], [OURS]])
def test_in_a_list_that_is_not_whole_nothing_is_found(refunds):
    assert match(*refunds, complete=False) == Ambiguous(code="incomplete_listing")
