"""The session ends, or the token goes stale, at the moment of the click."""

from __future__ import annotations

import json

import pytest
from django.contrib.sessions.models import Session
from django.test import Client

from runtime.models import Event, Receipt
from tests.console.browser import Browser, at
from tests.factories import make_approval


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
    return not browser.client.session["kept"]


@pytest.mark.parametrize(
    ("name", "page", "step", "field"),
    [
        ("admin", "approvals/{0.pk}", "revoke", "why-revoke-{0.pk}"),
        ("reviewer", "runs/{0.run_id}", "stop", "why-stop"),
    ],
)
def test_any_other_reason_waits_there_too(signed_in, approval, name, page, step, field):
    browser, address = signed_in(name), f"/w/demo/{page.format(approval)}/"
    browser.open(address)
    browser.client.session.flush()

    browser.press("Confirm:", reason="It was sent twice")
    browser.sign_in(name)
    again = browser.open(f"{address}?step={step}")
    browser.press("Confirm:")

    assert again.elements[field.format(approval)]["value"] == "It was sent twice"
    assert Receipt.objects.get().status == "applied"
    assert draft_is_gone(browser)


def test_several_cards_are_kept_each_with_its_own(world, browser, approval):
    browser.client.session.flush()
    others = [make_approval(world) for _ in range(9)]
    page, token = browser.page, browser.client.cookies["csrftoken"].value
    fields = page.forms[f"decision-{approval.pk}"].fields | {"csrfmiddlewaretoken": token}

    for each in (approval, *others):
        browser.client.post(f"{at(each)}decide/", fields | {"note": str(each.pk)})
    browser.open("/")
    browser.sign_in("reviewer")

    shown = [draft(browser.open(at(each)), each)[0] for each in (approval, *others)]
    assert shown == ["", "", *(str(each.pk) for each in others[1:])]


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


@pytest.mark.parametrize("origin", ["https://evil.example", "https://testserver", "null", None])
def test_what_no_page_of_ours_sent_is_refused_without_a_session(approval, origin):
    client = Client(enforce_csrf_checks=True, headers={"Origin": origin} if origin else None)

    answer = client.post(f"{at(approval)}decide/", {"note": "planted"})

    assert (answer.status_code, dict(client.cookies)) == (403, {})
    assert "Nothing was decided" in answer.text
    assert Session.objects.count() == 0


def test_no_more_is_kept_than_a_form_may_hold(browser, approval):
    browser.client.cookies.clear()

    browser.client.post(
        f"{at(approval)}decide/", {"note": "a" * 100_000, "reason_code": "b" * 100_000}
    )

    assert len(json.dumps(browser.client.session["kept"])) < 6000
