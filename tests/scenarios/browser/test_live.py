"""What one person does reaches every open page, without a reload."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.scenarios.browser.tabs import (
    approval_path,
    approve,
    bar,
    live,
    open_approval,
    run_path,
)

PATHS = {"approval page": approval_path, "run page": run_path}


def waiting_in(page: Page) -> int:
    found = re.match(r"\((\d+)\) ", page.title())
    return int(found[1]) if found else 0


@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS.keys())
def test_a_decision_takes_the_buttons_off_everybody_elses_page(visit, desk, path):
    refund = desk.refund()
    other = visit("reviewer2")
    other.goto(path(refund))
    live(other).evaluate("window.isTheSamePage = true")
    expect(bar(other, refund).get_by_role("button", name="Approve…")).to_be_visible()

    approve(open_approval(visit("reviewer"), refund), refund)

    expect(bar(other, refund)).to_have_attribute("data-status", "consumed")
    expect(bar(other, refund)).to_contain_text("reviewer approved this")
    assert other.locator(".decision [data-form]").count() == 0
    assert other.evaluate("window.isTheSamePage")


def test_the_waiting_count_in_the_title_follows_and_no_row_moves(visit, desk):
    page = visit("reviewer")
    page.goto("/w/demo/")
    before = waiting_in(live(page))
    rows = page.locator(".row").count()

    refund = desk.refund()

    expect(page).to_have_title(f"({before + 1}) Inbox · Countersign")
    if rows:
        expect(page.locator("#news")).to_have_text("1 new — show")
        page.locator("#news").click()
    row = page.locator(f"#approval-{refund.approval['id']}")
    expect(row).to_have_attribute("data-status", "pending")
    assert refund.decide("reviewer2", "reject").status_code == 200
    expect(row).to_have_attribute("data-status", "rejected")
    expect(page).to_have_title(
        f"({before}) Inbox · Countersign" if before else "Inbox · Countersign"
    )


def test_a_ticket_sent_by_the_button_becomes_a_question_on_the_open_inbox(visit, stack, agent):
    page = visit("reviewer")
    page.goto("/w/demo/")
    live(page)
    old = set(page.locator(".row").evaluate_all("rows => rows.map(row => row.id)"))

    page.get_by_label("Ticket").select_option(label="A tea bowl, paid in yen")
    page.get_by_role("button", name="Send to the agent").click()

    expect(page.locator("#news").or_(page.locator(".row"))).not_to_have_count(0)
    if old:
        page.get_by_text("1 new — show").click()
    row = page.locator(".row", has_text="¥5,800").filter(has_text="The bowl is back")
    expect(row).to_have_count(1)
    row.get_by_role("link").click()
    expect(page.locator(".approval .amount")).to_have_text("¥5,800 JPY")
