"""E11, E12: what the provider says of its own accord, and what it takes back days later."""

from __future__ import annotations

import time

import pytest

from tests.scenarios.refunds import wait_until

MODES = ["normal", "duplicate", "reorder", "early", "off"]


@pytest.mark.parametrize("mode", MODES)
def test_e11_however_webhooks_arrive_one_refund_is_confirmed_once(desk, webhooks, mode):
    webhooks(mode)

    refund = desk.granted()
    call = refund.when_confirmed()

    time.sleep(2)  # What comes twice or late has come by then.
    assert refund.now["position"] >= call["position"]
    assert refund.events.count("tool.call.completed") == 1
    assert refund.events.count("outcome.confirmed_success") == 1
    assert (refund.payouts, len(refund.requests)) == (1, 1)


def test_e12_a_success_that_fails_later_opens_a_case_and_sends_nothing(desk, webhooks):
    webhooks("normal")
    refund = desk.granted()
    call = refund.when_confirmed()

    desk.stack.sandbox.move_refund(call["result_ref"], "failed", "expired_or_canceled_card")

    failed = refund.when(lambda call: call["verification_status"] == "confirmed_failure")
    assert failed["case"]["kind"] == "failed_after_success"
    assert failed["execution_status"] == "completed"
    assert "failed after it was confirmed" in failed["told"]["sentence"]
    assert refund.events[-2:] == ["outcome.confirmed_failure", "case.opened"]
    time.sleep(2)
    assert (refund.payouts, len(refund.requests)) == (1, 1)


def test_e12_without_webhooks_a_later_read_finds_it_as_well(desk):
    refund = desk.granted()
    call = refund.when_confirmed()

    desk.stack.sandbox.move_refund(call["result_ref"], "failed", "lost_or_stolen_card")

    wait_until(lambda: "case.opened" in refund.events, within=120)
    assert (refund.payouts, len(refund.requests)) == (1, 1)


def test_e11_a_notice_nobody_signed_changes_nothing(desk):
    refund = desk.granted()
    refund.when_confirmed()
    before = refund.events
    http = desk.stack.api("admin").http
    url = f"{desk.stack.url}/webhooks/stripe/{refund.now['id']}"

    answers = [
        http.post(url, content=b"{}", headers=headers)
        for headers in ({}, {"Stripe-Signature": "t=1,v1=00"}, {"Stripe-Signature": "nonsense"})
    ]

    assert [(answer.status_code, answer.json()["code"]) for answer in answers] == [
        (400, "not_signed")
    ] * 3
    assert refund.events == before
