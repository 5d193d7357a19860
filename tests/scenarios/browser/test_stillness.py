"""S7: nothing moves under the pointer, and what was typed stays."""

from __future__ import annotations

from itertools import count

from playwright.sync_api import expect

from tests.scenarios.browser.tabs import decision, live, run_path
from tests.scenarios.refunds import new

EVENTS = 200
BOX = "button => JSON.stringify(button.getBoundingClientRect())"


def test_s7_two_hundred_events_move_neither_the_button_nor_the_text(visit, desk, stack):
    refund = desk.refund()
    page = visit("reviewer")
    page.goto(run_path(refund))
    place = decision(live(page), refund)
    note, button = place.get_by_label("Note"), place.get_by_role("button", name="Approve…")
    note.press_sequentially("Half a sen")
    button.hover()
    box, last = button.evaluate(BOX), refund.call["position"]

    payment, intent = desk.payment(), new("intent")
    boxes = set()
    for amount in count(1):
        call = stack.api("agent").propose(refund.run, payment, intent, amount)
        boxes.add(button.evaluate(BOX))
        if call["position"] > last + EVENTS:
            break
    expect(page.locator(f"#event-{call['position']}")).to_be_attached()

    assert boxes | {button.evaluate(BOX)} == {box}
    assert button.evaluate("button => button.matches(':hover')")
    expect(note).to_be_focused()
    expect(note).to_have_value("Half a sen")
    note.press_sequentially("tence")
    expect(note).to_have_value("Half a sentence")
