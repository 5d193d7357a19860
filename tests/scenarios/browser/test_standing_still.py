"""S12, and what dies under an open page: it says so by itself, and by itself it heals."""

from __future__ import annotations

import httpx
import pytest
from playwright.sync_api import expect

from tests.scenarios.browser.regions import regions
from tests.scenarios.browser.tabs import live, run_path
from tests.scenarios.processes import (
    KINDS,
    WORKERS,
    held_up,
    kill,
    need,
    readiness,
    wait_for_restart,
)
from tests.scenarios.refunds import wait_until

MISSING = {
    "worker": (WORKERS, "No dispatch worker heard for 15 s", "No dispatch worker is heard"),
    "relay": (("relay",), "No relay heard for 15 s", "No relay is heard"),
}
HELD = 500_00
SAYS_SO_WITHIN_MS = 30_000


@pytest.mark.parametrize("kind", ["worker", "relay"])
def test_s12_an_open_page_says_who_is_missing_and_what_the_refund_waits_for(
    visit, desk, stack, kind
):
    names, strip, reason = MISSING[kind]
    # Held for ten seconds, so that it takes both a relay and a worker to leave.
    refund = desk.refund(HELD)
    page, fresh = visit("reviewer"), visit("reviewer")
    page.goto(run_path(refund))
    live(page).evaluate("window.isTheSamePage = true")

    with held_up(stack, *names):
        assert refund.decide("reviewer2").status_code == 200
        expect(page.locator("#health")).to_contain_text(strip, timeout=SAYS_SO_WITHIN_MS)
        expect(page.locator("#run-banner")).to_contain_text(reason, timeout=SAYS_SO_WITHIN_MS)
        answer = httpx.get(f"{stack.url}/readyz", trust_env=False)
        fresh.goto(run_path(refund))
        assert regions(page) == regions(fresh)
        unpaid = refund.payouts

    assert (answer.status_code, answer.json()["failing"]) == (503, [kind])
    expect(page.locator("#health")).to_be_empty()
    refund.when_confirmed(within=90)
    wait_until(lambda: readiness(stack) == 200)
    assert (unpaid, refund.payouts) == (0, 1)
    assert page.evaluate("window.isTheSamePage")


@pytest.mark.drill
@pytest.mark.parametrize("kind", KINDS)
def test_whatever_process_dies_under_an_open_page_it_ends_like_a_fresh_one(
    visit, desk, stack, kind
):
    need(stack, *KINDS[kind])
    refund = desk.refund()
    page, fresh = visit("reviewer"), visit("reviewer")
    page.goto(run_path(refund))
    live(page).evaluate("window.isTheSamePage = true")
    desk.fault(refund, "drop_answer")
    assert refund.decide("reviewer2").status_code == 200

    killed = kill(stack, *KINDS[kind])

    wait_for_restart(stack, killed)
    refund.when_confirmed(within=90)
    fresh.goto(run_path(refund))
    live(page)
    wait_until(lambda: regions(page) == regions(fresh), within=60)
    expect(page.locator("#health")).to_be_empty()
    assert page.evaluate("window.isTheSamePage")
    visit.forget_cuts()
