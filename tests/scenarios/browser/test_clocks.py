"""D6: a browser's clock is wrong; what is over is over by the server's."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from tests.scenarios.browser.tabs import approval_path, decision, live

WITHIN_S = 8


@pytest.mark.parametrize("late_s", [-1, 1])
def test_d6_ten_minutes_slow_a_browser_approves_by_the_servers_clock(visit, desk, late_s):
    page = visit("reviewer")
    page.clock.install(time=datetime.now(UTC) - timedelta(minutes=10))
    refund = desk.refund(decide_within_s=WITHIN_S)
    page.goto(approval_path(refund))
    place = decision(live(page), refund)
    expect(place.locator('[data-time="countdown"]').first).to_contain_text("0:0")
    place.get_by_role("button", name="Approve…").click()
    decide_by = datetime.fromisoformat(refund.approval["decide_by"])

    if late_s < 0:
        place.get_by_role("button", name="Confirm approval").click()
        expect(page.locator(".notice-title")).to_contain_text("Your decision is on record.")
        refund.when_confirmed()
    else:
        time.sleep(max(0, (decide_by - datetime.now(UTC)).total_seconds() + late_s))
        expect(page.locator(".approval")).to_have_attribute("data-status", "expired")
        assert place.get_by_role("button").count() == 0

    expected = ("consumed", 1) if late_s < 0 else ("expired", 0)
    assert (refund.approval["status"], refund.payouts) == expected
