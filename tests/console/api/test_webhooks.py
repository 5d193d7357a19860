"""The webhook endpoint as Stripe, and as everybody else, meets it."""

from __future__ import annotations

import logging

import pytest
from django.test import Client

from tests.webhooks import NOTHING, SECRET, Kept, event, kept, make_account, signed

pytestmark = pytest.mark.django_db
NOBODY = "00000000-0000-4000-8000-000000000000"


def post(account, body, signature=None, **headers):
    if signature is not None:
        headers["Stripe-Signature"] = signature
    address = f"/webhooks/stripe/{account}"
    return Client().post(address, body, content_type="application/json", headers=headers)


def said(answer):
    """The answer without the id of the request it answers."""
    headers = {name: value for name, value in answer.headers.items() if name != "X-Request-ID"}
    return answer.status_code, headers, answer.content


def test_a_signed_event_is_taken_in_and_so_is_its_duplicate():
    account, body = make_account("here"), event()

    answers = [post(account.pk, body, signed(body)) for _ in range(2)]

    assert [(each.status_code, each.json()) for each in answers] == [(200, {"received": True})] * 2
    assert kept() == Kept(1, 1)


def test_whatever_is_wrong_with_account_or_signature_the_answer_is_the_same():
    account, mute, body = make_account("here"), make_account("mute", secret=None), event()
    wrong = signed(body, "whsec_another")

    answers = [
        post(account.pk, body, wrong),
        post(account.pk, body),
        post(account.pk, body, "é"),
        post(account.pk, b"{", signed(body)),
        post(account.pk, b"{", signed(b"{")),
        post(mute.pk, body, signed(body)),
        post(NOBODY, body, signed(body)),
        post("nobody", body, signed(body)),
    ]

    assert [said(each) for each in answers] == [said(answers[0])] * len(answers)
    assert answers[0].status_code == 400
    assert answers[0].headers["Content-Type"] == "application/problem+json"
    assert answers[0].json()["code"] == "not_signed"
    assert kept() == NOTHING


@pytest.mark.parametrize("known", [True, False])
def test_more_than_256_kb_is_too_large_whoever_sends_it(known):
    account = make_account("here")
    room = 256 * 1024 - len(event(padding="", event_id="evt_1"))
    fits = event(padding="x" * room, event_id="evt_1")
    over = event(padding="x" * (room + 1), event_id="evt_2")

    answer = post(account.pk if known else NOBODY, over, signed(over))

    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
    assert kept() == NOTHING
    assert post(account.pk, fits, signed(fits)).status_code == 200


@pytest.mark.parametrize("method", ["get", "head", "put", "delete", "patch", "options"])
def test_it_is_posted_to_and_nothing_else(method):
    account = make_account("here")

    answer = getattr(Client(), method)(f"/webhooks/stripe/{account.pk}")

    assert answer.status_code == 405
    assert answer.headers["Content-Type"] == "application/problem+json"


def test_it_asks_for_no_token_and_no_form_of_ours():
    account, body = make_account("here"), event()
    strict = Client(enforce_csrf_checks=True)

    answer = strict.post(
        f"/webhooks/stripe/{account.pk}",
        body,
        content_type="application/json; charset=utf-8",
        headers={"Stripe-Signature": signed(body), "Authorization": "Bearer nobody's"},
    )

    assert answer.status_code == 200


def test_neither_body_nor_signature_nor_secret_is_logged(caplog):
    caplog.set_level(logging.DEBUG)
    account, body = make_account("here"), event()
    stamp = signed(body)

    post(account.pk, body, stamp)
    post(account.pk, body, "t=1,v1=x")

    assert caplog.records != []
    for secret in ("Nadia", SECRET, stamp.split(",")[1], "re_1"):
        assert secret not in caplog.text
