"""Exactly the agreed minor units leave, and never more than is left of a payment."""

from __future__ import annotations

from functools import partial

import pytest

from tests.scenarios.refunds import at_once, codes


def is_all_refunded(desk, payment):
    """Ask for one minor unit more, as someone else: refused only if nothing is left."""
    try:
        desk.stack.sandbox.refund_by_someone_else(payment, 1)
    except AssertionError as error:
        return "already been refunded" in str(error)
    return False


@pytest.mark.parametrize(
    ("minor", "currency", "display"),
    [(5800, "JPY", "¥5,800"), (1250, "KWD", "KWD 1.250"), (695, "USD", "$6.95")],
)
def test_e13_the_agreed_minor_units_are_shown_and_leave(desk, minor, currency, display):
    payment = desk.payment(minor, currency.lower())
    refund = desk.refund(minor, currency, payment=payment)

    shown = refund.approval["effect"]["amount"]
    refund.decide("reviewer")

    assert (shown["minor"], shown["currency"]) == (minor, currency)
    assert shown["display"].replace("\xa0", " ") == display
    refund.when_confirmed()
    assert (refund.payouts, is_all_refunded(desk, payment)) == (1, True)


def test_e10_of_two_approvals_that_exceed_the_payment_together_one_goes_out(desk):
    payment = desk.payment(5_000)
    rivals = [desk.refund(3_000, payment=payment) for _ in range(2)]
    people = ("reviewer", "reviewer2")
    at_once([partial(refund.decide, by) for refund, by in zip(rivals, people, strict=True)])

    ended = [refund.when_over() for refund in rivals]
    assert sorted(each["execution_status"] for each in ended) == ["completed", "refused"]
    assert sorted(refund.payouts for refund in rivals) == [0, 1]
    loser = next(each for each in ended if each["execution_status"] == "refused")
    assert loser["last_error"].startswith("within_remainder")
    rest = desk.granted(2_000, payment=payment)
    rest.when_confirmed()
    assert (rest.payouts, is_all_refunded(desk, payment)) == (1, True)


def test_d3_two_refunds_of_one_turn_decided_in_reverse_order_pay_the_approved_amount(desk):
    run, payment = desk.run(), desk.payment(700)
    first, second = (desk.refund(minor, run=run, payment=payment) for minor in (500, 700))

    assert codes([second.decide("reviewer"), first.decide("reviewer", "reject")]) == [
        (200, "ok"),
        (200, "ok"),
    ]

    second.when_confirmed()
    assert first.now["execution_status"] == "refused"
    assert (first.payouts, second.payouts) == (0, 1)
    assert is_all_refunded(desk, payment)
