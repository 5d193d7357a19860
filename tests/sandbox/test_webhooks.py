from __future__ import annotations

import json
import time

import pytest
import stripe


def ids(refund) -> tuple[str, str]:
    return refund.id, refund.charge


def paid(sdk, control):
    payment = control.payment(1_000)
    return sdk.v1.refunds.create({"payment_intent": payment["id"], "amount": 100})


def test_events_are_signed_as_stripe_signs_them(sandbox, sdk, control, receiver):
    control.webhooks("normal")
    refund = paid(sdk, control)
    receiver.wait_for(2, *ids(refund))

    body, header, _ = next(one for one in receiver.received if refund.id.encode() in one[0])
    event = sdk.construct_event(body, header, sandbox.webhook_secret)

    assert (event.type, event.data.object.id) == ("refund.created", refund.id)
    assert event.id.startswith("evt_")
    with pytest.raises(stripe.SignatureVerificationError):
        sdk.construct_event(body + b" ", header, sandbox.webhook_secret)


def test_the_signature_carries_real_time_whatever_the_sandboxs_clock_says(sdk, control, receiver):
    control.webhooks("normal")
    control.advance_clock(4 * 86_400)
    refund = paid(sdk, control)
    receiver.wait_for(2, *ids(refund))

    header = next(one for one in receiver.received if refund.id.encode() in one[0])[1]

    assert abs(int(header.split(",")[0].removeprefix("t=")) - time.time()) < 10


def test_a_refund_is_announced_once_and_so_is_its_charge(sdk, control, receiver):
    control.webhooks("normal")

    refund = paid(sdk, control)

    assert receiver.wait_for(2, *ids(refund)) == ["refund.created", "charge.refunded"]
    [charge] = receiver.about(refund.charge)
    assert charge["data"]["object"]["amount_refunded"] == 100


def test_a_success_can_turn_into_a_failure_that_gives_the_money_back(sdk, control, receiver):
    refund = paid(sdk, control)
    control.webhooks("normal")

    moved = control.move_refund(refund.id, "failed", "insufficient_funds")

    assert receiver.wait_for(2, refund.id) == ["refund.updated", "refund.failed"]
    assert receiver.about(refund.id)[0]["data"]["previous_attributes"] == {"status": "succeeded"}
    assert (moved["status"], moved["failure_reason"]) == ("failed", "insufficient_funds")
    assert sdk.v1.refunds.retrieve(refund.id).failure_reason == "insufficient_funds"
    assert sdk.v1.charges.retrieve(refund.charge).amount_refunded == 0


def test_duplicate_sends_the_very_same_event_twice(sdk, control, receiver):
    control.webhooks("duplicate")

    refund = paid(sdk, control)

    receiver.wait_for(4, *ids(refund))
    first, second = receiver.about(refund.id)
    assert first == second


def test_reorder_lets_later_news_overtake_earlier_news(sdk, control, receiver):
    control.webhooks("reorder")

    refund = paid(sdk, control)
    control.move_refund(refund.id, "failed")

    assert receiver.wait_for(4, *ids(refund)) == [
        "refund.failed",
        "refund.updated",
        "charge.refunded",
        "refund.created",
    ]


def test_early_announces_before_the_provider_answers(sdk, control, receiver):
    control.webhooks("early")

    refund = paid(sdk, control)

    assert receiver.types(*ids(refund)) == ["refund.created", "charge.refunded"]


def test_off_announces_nothing(sdk, control, receiver):
    control.webhooks("off")
    silent = paid(sdk, control)
    control.webhooks("normal")
    refund = paid(sdk, control)

    receiver.wait_for(2, *ids(refund))

    assert receiver.types(*ids(silent)) == []


def test_a_refused_delivery_is_tried_again(sdk, control, receiver):
    control.webhooks("normal")
    receiver.failures = 1

    refund = paid(sdk, control)

    types = receiver.wait_for(3, *ids(refund))
    assert types == ["refund.created", "charge.refunded", "refund.created"]
    first, again = receiver.about(refund.id)
    assert json.dumps(first) == json.dumps(again)


def test_a_refund_by_someone_else_is_announced_and_not_journaled(sdk, control, receiver):
    payment = control.payment(1_000)
    before = control.journal()
    control.webhooks("normal")

    foreign = control.refund_by_someone_else(payment["id"], 250, {"who": "dashboard"})

    assert receiver.wait_for(1, foreign["id"]) == ["refund.created"]
    assert control.journal() == before
    [listed] = sdk.v1.refunds.list({"payment_intent": payment["id"]}).data
    assert (listed.id, listed.amount, listed.metadata["who"]) == (foreign["id"], 250, "dashboard")
