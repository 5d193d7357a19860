"""S10: everything a person can do works by plain forms."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.scenarios.browser.tabs import Visits, decision, run_path, sign_in

HELD = 900_00


def plain(visit: Visits, username: str) -> Page:
    page = visit.stranger(java_script_enabled=False)
    sign_in(page, username)
    return page


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name).click()


def expect_notice(page: Page, title: str) -> None:
    expect(page.locator(".notice-title")).to_have_text(title)


def test_s10_sign_in_read_decide_and_take_back(visit, desk):
    refund = desk.refund(HELD, reasoning={"summary": "The lamp broke.", "evidence": []})
    page = plain(visit, "reviewer")

    page.locator(f"#approval-{refund.approval['id']} a").click()
    expect(page.locator(".approval .claim")).to_have_text("The lamp broke.")
    press(page, "Approve…")
    decision(page, refund).get_by_label("Note").fill("I saw the photo")
    press(page, "Confirm approval of $900.00")
    expect_notice(page, "Approved. Your decision is on record.")
    press(page, "Take back")

    expect(decision(page, refund)).to_contain_text("reviewer took the approval back")
    assert refund.approval["status"] == "revoked"
    assert [vote["note"] for vote in refund.approval["votes"]["cast"]] == ["I saw the photo"]
    assert refund.payouts == 0


def test_s10_a_rejection_needs_a_reason_and_the_note_survives_without_one(visit, desk):
    refund = desk.refund()
    page = plain(visit, "reviewer")

    page.locator(f"#approval-{refund.approval['id']} a").click()
    press(page, "Reject…")
    place = decision(page, refund)
    place.get_by_label("Note").fill("Ask again")
    place.locator("select").evaluate("select => select.removeAttribute('required')")
    press(page, "Confirm rejection")
    expect(place.locator(".field-error")).to_be_visible()
    expect(place.get_by_label("Note")).to_have_value("Ask again")
    place.get_by_label("Reason").select_option("evidence_missing")
    press(page, "Confirm rejection")

    expect_notice(page, "Rejected. Your decision is on record.")
    assert (refund.approval["status"], refund.payouts) == ("rejected", 0)


def test_s10_an_admin_revokes_a_held_approval_and_stops_a_run(visit, desk):
    refund, stopped = desk.granted(HELD), desk.refund()
    page = plain(visit, "admin")

    page.goto(f"/w/demo/approvals/{refund.approval['id']}/")
    press(page, "Revoke…")
    page.get_by_label("Why you take it back").fill("The customer called")
    press(page, "Confirm: revoke")
    expect(decision(page, refund)).to_contain_text("admin took the approval back")
    page.goto(run_path(stopped))
    press(page, "Stop run…")
    page.get_by_label("Why it is stopped").fill("Not today")
    press(page, "Confirm: stop run")

    expect(page.locator("#run-banner")).to_have_attribute("data-status", "stopped")
    assert (refund.approval["status"], stopped.approval["status"]) == ("revoked", "cancelled")
    assert (refund.payouts, stopped.payouts) == (0, 0)
