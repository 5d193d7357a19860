"""The session ends, or the token goes stale, at the moment of the click."""

from __future__ import annotations

import pytest

from runtime.models import Event, Receipt
from tests.console.browser import Browser
from tests.factories import make_approval


def at(approval) -> str:
    return f"/w/demo/approvals/{approval.pk}/"


def confirm(browser: Browser):
    return browser.press("Confirm approval", note="Half a thought", reason_code="other")


def draft(page, approval) -> tuple[str, str]:
    fields = page.forms[f"decision-{approval.pk}"].fields
    return fields["note"], fields["reason_code"]


@pytest.fixture
def approval(world):
    return make_approval(world)


@pytest.fixture
def browser(signed_in, approval):
    browser = signed_in("reviewer")
    browser.open(at(approval))
    return browser


def test_after_the_session_ended_the_note_waits_behind_the_sign_in(browser, approval):
    browser.client.session.flush()
    before = Event.objects.count()

    sign_in = confirm(browser)
    card = browser.sign_in("reviewer")

    assert sign_in.address == f"/?next={at(approval)}%3Fkept%3D1"
    assert card.address == f"{at(approval)}?kept=1"
    assert draft(card, approval) == ("Half a thought", "other")
    assert "Nothing was changed. You were not signed in any more" in card.html
    assert (Event.objects.count(), Receipt.objects.count()) == (before, 0)


def test_without_scripts_the_note_comes_along_to_the_second_step(browser, approval):
    browser.client.session.flush()
    confirm(browser)
    browser.sign_in("reviewer")

    step = browser.open(f"{at(approval)}?step=approve")
    browser.press("Confirm approval")

    assert draft(step, approval) == ("Half a thought", "other")
    assert Receipt.objects.get().status == "applied"
    assert draft_is_gone(browser)


def draft_is_gone(browser) -> bool:
    return "kept" not in browser.client.session


def test_with_no_cookie_left_at_all_it_is_the_same(browser, approval):
    browser.client.cookies.clear()

    confirm(browser)
    card = browser.sign_in("reviewer")

    assert draft(card, approval) == ("Half a thought", "other")
    assert Receipt.objects.count() == 0


def test_a_stale_token_leads_back_to_the_card_at_once(browser, approval):
    browser.client.cookies["csrftoken"] = "a" * 32

    card = confirm(browser)

    assert card.address == f"{at(approval)}?kept=1"
    assert draft(card, approval) == ("Half a thought", "other")
    assert "Nothing was changed. Your sign-in had changed" in card.html
    assert Receipt.objects.count() == 0


def test_what_was_kept_goes_to_its_own_card_only(world, browser, approval):
    other = make_approval(world)
    browser.client.session.flush()
    confirm(browser)
    browser.sign_in("reviewer")
    browser.client.session.flush()
    browser.open("/")
    browser.sign_in("reviewer")

    page = browser.open(at(other))

    assert draft(page, other) == ("", "")


def test_another_site_gets_a_refusal_and_no_session(approval):
    client = Browser().client

    answer = client.post(
        f"{at(approval)}decide/", {"note": "planted"}, HTTP_ORIGIN="https://evil.example"
    )

    assert (answer.status_code, dict(client.cookies)) == (403, {})
    assert "Nothing was decided" in answer.text
