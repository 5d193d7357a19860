"""What a reload, another tab and another server process show is what is on record."""

from __future__ import annotations

from tests.scenarios.browser.tabs import decision, live, open_approval
from tests.scenarios.processes import kill, wait_for_restart
from tests.scenarios.refunds import wait_until

SHOWN = """section => ({
    decision: section.id,
    revision: section.querySelector('[name="revision"]').value,
    digest: section.querySelector('[name="digest"]').value,
    decide_by: section.querySelector('[data-time="countdown"]').dateTime,
    buttons: [...section.querySelectorAll("button")]
        .filter(button => button.checkVisibility()).map(button => button.textContent),
})"""


def test_s1_reloads_tabs_and_a_restart_show_the_same_question_and_add_no_event(visit, desk, stack):
    refund = desk.refund()
    wait_until(lambda: "payment.observed" in refund.events)
    page = open_approval(visit("reviewer"), refund)
    other = page.context.new_page()
    shown, events = decision(page, refund).evaluate(SHOWN), refund.events

    seen = [decision(page, refund).evaluate(SHOWN) for _ in range(5) if page.reload()]
    seen.append(decision(open_approval(other, refund), refund).evaluate(SHOWN))
    page.goto("about:blank")
    other.goto("about:blank")
    wait_for_restart(stack, kill(stack, "web"))
    seen.append(decision(open_approval(page, refund), refund).evaluate(SHOWN))

    assert shown["buttons"] == ["Reject…", "Approve…"]
    assert seen == [shown] * 7
    assert refund.events == events


def test_an_open_page_heals_by_itself_when_the_server_comes_back(visit, desk, stack):
    refund = desk.refund()
    page = live(open_approval(visit("reviewer"), refund))
    page.evaluate("window.isTheSamePage = true")

    wait_for_restart(stack, kill(stack, "web"))
    assert refund.decide("reviewer2").status_code == 200

    section = decision(page, refund)
    section.get_by_text("reviewer2 approved this").wait_for()
    live(page)
    assert page.evaluate("window.isTheSamePage")
    assert section.get_by_role("button").count() == 0
    visit.forget_cuts()
