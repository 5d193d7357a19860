"""S11: a session that ends at the moment of the click decides nothing and loses nothing."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.scenarios.browser.tabs import (
    approval_path,
    approve,
    decision,
    open_approval,
    sign_in,
)


def test_s11_after_signing_in_again_one_is_back_on_the_card_with_the_note(visit, desk):
    refund = desk.refund()
    page = visit.stranger()
    sign_in(page, "reviewer")
    place = decision(open_approval(page, refund), refund)
    place.get_by_label("Note").fill("Checked with the warehouse")
    place.get_by_role("button", name="Approve…").click()
    other = page.context.new_page()
    other.goto("/w/demo/")
    other.get_by_role("button", name="Sign out").click()
    other.get_by_role("button", name="Sign in").wait_for()

    place.get_by_role("button", name="Confirm approval").click()
    sign_in(page, "reviewer")

    assert page.url.partition("?")[0].endswith(approval_path(refund))
    expect(page.locator(".notice-title")).to_contain_text("Nothing was changed.")
    expect(place.get_by_label("Note")).to_have_value("Checked with the warehouse")
    assert (refund.approval["status"], refund.approval["votes"]["cast"]) == ("pending", [])
    approve(page, refund)
    assert [vote["note"] for vote in refund.approval["votes"]["cast"]] == [
        "Checked with the warehouse"
    ]


def test_s11_a_stale_token_leads_back_to_the_card_with_the_note(visit, desk, stack):
    refund = desk.refund()
    page = visit.stranger()
    sign_in(page, "reviewer")
    place = decision(open_approval(page, refund), refund)
    place.get_by_label("Note").fill("Checked with the warehouse")
    place.get_by_role("button", name="Approve…").click()
    page.context.add_cookies([{"name": "csrftoken", "value": "a" * 32, "url": stack.url}])

    place.get_by_role("button", name="Confirm approval").click()

    expect(page.locator(".notice-title")).to_contain_text("Nothing was changed.")
    assert page.url.partition("?")[0].endswith(approval_path(refund))
    expect(place.get_by_label("Note")).to_have_value("Checked with the warehouse")
    assert (refund.approval["status"], refund.approval["votes"]["cast"]) == ("pending", [])
    approve(page, refund)
    refund.when_confirmed()
    assert refund.payouts == 1


def test_signing_out_in_one_tab_reaches_the_others(visit, desk):
    refund = desk.refund()
    page = visit.stranger()
    sign_in(page, "reviewer")
    open_approval(page, refund)
    other = page.context.new_page()
    other.goto("/w/demo/")

    other.get_by_role("button", name="Sign out").click()

    expect(page.locator("#live-state")).to_have_text("Signed out: reload")
