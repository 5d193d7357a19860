"""S7: nothing moves under the pointer, and what was typed stays."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.scenarios.browser.tabs import decision, live, run_path
from tests.scenarios.drills.refunds import new

REVISIONS = 50
BOX = "button => JSON.stringify(button.getBoundingClientRect())"


def test_s7_two_hundred_events_move_neither_the_button_nor_the_text(visit, desk, stack):
    refund = desk.refund()
    page = visit("reviewer")
    page.goto(run_path(refund))
    place = decision(live(page), refund)
    note, button = place.get_by_label("Note"), place.get_by_role("button", name="Approve…")
    note.press_sequentially("Half a sen")
    button.hover()
    box, before = button.evaluate(BOX), len(refund.events)

    payment, intent = desk.payment(), new("intent")
    boxes = set()
    for amount in range(1, REVISIONS + 1):
        stack.api("agent").propose(refund.run, payment, intent, amount)
        boxes.add(button.evaluate(BOX))
    head = stack.api("admin").get(f"/runs/{refund.run['id']}")["position"]
    expect(page.locator(f"#event-{head}")).to_be_attached()

    assert head - before >= 200
    assert boxes | {button.evaluate(BOX)} == {box}
    assert button.evaluate("button => button.matches(':hover')")
    expect(note).to_be_focused()
    expect(note).to_have_value("Half a sen")
    note.press_sequentially("tence")
    expect(note).to_have_value("Half a sentence")
