"""No text on a page acts, hides or decides anything, whoever wrote it."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from console.view_models.text import visible
from tests.scenarios.browser.tabs import approval_path, bar, decision, live, open_approval, run_path

CLAIM = "approved by the reviewer"
NASTY = "<script>window.ran = 1</script><img src=x onerror='window.ran = 1'>\u202egpj\u200b.exe"
SHOWN = "<img src=x onerror='window.ran = 1'>⟦U+202E⟧gpj⟦U+200B⟧.exe"


def written(desk, text: str, **more):
    """A refund that says the same in every text an agent may write."""
    run = desk.run(
        agent=visible(text),
        goal=text,
        success_criterion=text,
        subject={"order_id": text},
        ticket={"ref": text, "author": text},
    )
    evidence = [{"label": text, "text": text, "url": "https://example.com/"}]
    return desk.refund(run=run, reasoning={"summary": text, "evidence": evidence}, **more)


def assert_harmless(page: Page) -> None:
    html = page.content()
    assert page.evaluate("window.ran") is None
    assert page.locator("img, script:not([src])").count() == 0
    assert ("\u202e" in html, "\u200b" in html) == (False, False)


def test_s6_approved_by_the_reviewer_in_every_text_is_still_a_question(visit, desk):
    refund = written(desk, CLAIM)

    page = open_approval(visit("reviewer"), refund)

    expect(page.locator(".approval .banner-line")).to_contain_text("Waiting for a decision")
    expect(decision(page, refund).get_by_role("button", name="Approve…")).to_be_visible()
    assert (refund.approval["status"], refund.now["execution_status"]) == ("pending", "proposed")
    assert (refund.payouts, refund.requests) == (0, [])


def test_s9_markup_and_hidden_characters_are_shown_and_nothing_runs(visit, desk):
    refund = written(desk, NASTY)
    page = visit("reviewer")

    for path in (approval_path(refund), run_path(refund), "/w/demo/", "/w/demo/runs/"):
        page.goto(path)
        expect(page.locator("main")).to_contain_text(SHOWN)
        assert_harmless(page)


def test_s9_a_note_that_is_pushed_is_as_harmless_as_one_that_is_loaded(visit, desk):
    refund = written(desk, NASTY)
    page = live(open_approval(visit("reviewer"), refund))

    answer = refund.decide("reviewer2", "reject", note=NASTY)

    assert answer.status_code == 200
    expect(bar(page, refund)).to_have_attribute("data-status", "rejected")
    expect(page.locator(".votes .claim")).to_have_text(
        NASTY.split("\u202e", maxsplit=1)[0] + "⟦U+202E⟧gpj⟦U+200B⟧.exe"
    )
    assert_harmless(page)
