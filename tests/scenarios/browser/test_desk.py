"""The desk in a real browser: what becomes of a call reaches every tab that shows it."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.scenarios.browser.tabs import bar, live, run_path


def handed_off(desk):
    """A refund whose request was lost before its run was stopped: nothing is sent again."""
    refund = desk.refund()
    desk.fault(refund, "drop_request", times=100)
    refund.decide("reviewer")
    refund.when_status("result_unknown", "reconciling")
    refund.command("reviewer", "stop")
    refund.when_status("manual_handoff")
    return refund


def test_from_one_admins_word_to_the_others_without_a_reload(visit, desk):
    refund = handed_off(desk)
    first, second = visit("admin"), visit("admin2")
    for page in (first, second):
        page.goto(run_path(refund))
        live(page)
    place = first.locator("#desks .decision")

    place.get_by_role("button", name="Settle…").click()
    place.locator(".settling").get_by_label("Evidence").fill("The dashboard shows it")
    place.get_by_label("Reason").fill("Looked it up by hand")
    place.get_by_role("button", name="Ask to confirm").click()
    expect(first.locator(".notice-title")).to_contain_text("another admin confirms it")
    live(first)
    expect(bar(second, refund)).to_contain_text("admin says that this was executed")
    bar(second, refund).get_by_role("button", name="Approve…").click()
    second.get_by_role("button", name="Confirm that it was executed").click()

    desk_of_first = first.locator(f"#desk-{refund.call['id']}")
    expect(desk_of_first).to_have_attribute("data-settle", "no")
    desk_of_first.get_by_role("button", name="Say what was seen…").click()
    observing = place.locator(".observing")
    expect(place.locator(".settling")).to_be_hidden()
    observing.get_by_label("Evidence").fill("The customer's statement")
    place.get_by_role("button", name="Confirm: the money arrived").click()
    expect(first.locator(f"#call-{refund.call['id']}")).to_contain_text("Refunded, confirmed")
    assert refund.now["verification_status"] == "confirmed_success"


def test_what_was_typed_stays_readable_when_somebody_else_settles_it(visit, desk):
    refund = handed_off(desk)
    page = visit("admin")
    page.goto(run_path(refund))
    live(page)
    place = page.locator("#desks .decision")
    place.get_by_role("button", name="Settle…").click()
    evidence = place.locator(".settling").get_by_label("Evidence")
    evidence.fill("Half a sentence")

    body = {"command_id": "c", "outcome": "failed", "evidence": "None", "reason": "None"}
    refund.stack.api("admin2").send("POST", f"/tool-calls/{refund.call['id']}/settlements", body)

    expect(place.locator(".bar")).to_have_attribute("data-open", "no")
    expect(evidence).to_have_value("Half a sentence")
    expect(evidence).to_be_visible()
    expect(place.get_by_text("Not sent: this was settled meanwhile.").first).to_be_visible()
    expect(place.get_by_role("button")).to_have_count(0)
