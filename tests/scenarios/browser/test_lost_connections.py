"""S3, S4: whatever a connection loses, the page says again, from the log."""

from __future__ import annotations

import time
from itertools import count

import pytest
from playwright.sync_api import Page, expect

from tests.scenarios.browser.regions import regions
from tests.scenarios.browser.tabs import approval_path, decision, live, open_approval, run_path
from tests.scenarios.browser.wire import wire_to
from tests.scenarios.processes import kill, wait_for_restart
from tests.scenarios.refunds import new, wait_until

EVENTS = 300


@pytest.fixture
def wire(stack):
    with wire_to(stack.port) as wire:
        yield wire


def work_on(desk, refund, least: int):
    """Let an agent go on working on the run until so many events are on record."""
    last = refund.call["position"]
    payment, intent = desk.payment(), new("intent")
    for amount in count(1):
        call = desk.stack.api("agent").propose(refund.run, payment, intent, amount)
        if call["position"] > last + least:
            return


def test_s4_after_dropped_sockets_and_300_events_pages_equal_fresh_ones(visit, desk, wire):
    refund, rejected = desk.refund(), desk.refund()
    page, inbox, fresh = (visit("reviewer") for _ in range(3))
    for tab, path in ((page, run_path(refund)), (inbox, "/w/demo/")):
        tab.goto(wire.url + path)
        live(tab).evaluate("window.isTheSamePage = true")

    wire.cut()
    for tab in (page, inbox):
        expect(tab.locator("#live-state")).to_have_text("Reconnecting…")
    work_on(desk, refund, EVENTS)
    assert rejected.decide("reviewer2", "reject").status_code == 200
    assert refund.decide("reviewer2").status_code == 200
    refund.when_confirmed()
    newest = desk.refund(run=refund.run)
    wait_until(lambda: newest.events[-1] == "payment.observed")
    wire.mend()

    fresh.goto(run_path(refund))
    wait_until(lambda: regions(page) == regions(fresh))
    expect(inbox.locator("#news")).to_have_text("2 new, 2 settled — show")
    inbox.locator("#news").click()
    expect(inbox.locator(f"#approval-{newest.approval['id']}")).to_be_attached()
    fresh.goto("/w/demo/")
    assert regions(inbox) == regions(fresh)
    assert [tab.evaluate("window.isTheSamePage") for tab in (page, inbox)] == [True, True]
    visit.forget_cuts()


def confirm(page: Page, refund) -> None:
    place = decision(page, refund)
    place.get_by_role("button", name="Approve…").click()
    place.get_by_role("button", name="Confirm approval").click()


def assert_says_what_was_decided(page: Page, refund) -> None:
    expect(page.locator(".approval")).to_have_attribute("data-status", "consumed")
    expect(decision(page, refund)).to_contain_text("reviewer approved this")
    assert decision(page, refund).get_by_role("button").count() == 0
    assert (refund.events.count("approval.voted"), refund.payouts) == (1, 1)


def again_by_address(page: Page) -> None:
    page.goto(page.url)


def again_by_reload(page: Page) -> None:
    page.reload()


@pytest.mark.parametrize("again", [again_by_address, again_by_reload])
def test_s3_a_connection_killed_before_the_answer_and_the_page_opened_again_says_what_was_decided(
    visit, desk, wire, again
):
    refund = desk.refund()
    page = visit("reviewer")
    page.goto(wire.url + approval_path(refund))
    live(page)

    wire.lose_answer_to(b"POST ")
    confirm(page, refund)
    assert wire.lost.wait(30)
    refund.when_confirmed()
    again(page)

    assert_says_what_was_decided(page, refund)
    visit.forget_cuts()


@pytest.mark.drill
@pytest.mark.parametrize("wait_s", [0, 0.02, 0.05, 0.1, 0.2])
def test_s3_a_server_killed_right_after_the_click_shows_what_is_on_record(visit, desk, wait_s):
    refund = desk.refund()
    page = live(open_approval(visit("reviewer"), refund))

    confirm(page, refund)
    time.sleep(wait_s)
    wait_for_restart(desk.stack, kill(desk.stack, "web"))
    page.goto(approval_path(refund))

    if refund.approval["votes"]["cast"]:
        refund.when_confirmed()
        assert_says_what_was_decided(page, refund)
    else:
        expect(decision(page, refund).get_by_role("button", name="Approve…")).to_be_visible()
        assert (refund.approval["status"], refund.payouts) == ("pending", 0)
    visit.forget_cuts()
