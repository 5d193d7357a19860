"""Whose voice a webhook is, and what is kept of it."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from functools import partial

import pytest
from django.db import connection

from runtime import notices
from runtime.models import Notice, Timer
from tests.approvals.racing import race
from tests.webhooks import NOTHING, SECRET, Kept, event, kept, make_account, signed

pytestmark = pytest.mark.django_db
BODY = event(event_id="evt_fixed")


@pytest.fixture
def account(db):
    return make_account("here")


def take_in(account, body=BODY, signature=None):
    given = signed(body) if signature is None else signature
    return notices.take_in(str(account.pk), body, given)


def test_what_is_kept_of_a_notice_is_what_it_names(account):
    assert take_in(account)

    notice = Notice.objects.get()
    assert (notice.account, notice.event_id, notice.event_type) == (
        account,
        "evt_fixed",
        "refund.updated",
    )
    assert (notice.object_ref, notice.payment) == ("re_1", "pi_1")
    assert notice.external_request_id == f"csr_{'0' * 32}"
    assert notice.said_at == datetime.fromtimestamp(1_700_000_000, UTC)


def test_nothing_personal_of_it_is_stored(account):
    take_in(account)

    with connection.cursor() as cursor:
        cursor.execute("SELECT runtime_notice::text FROM runtime_notice")
        (row,) = cursor.fetchone()
    assert "evt_fixed" in row
    assert "Nadia" not in row


def test_it_has_a_timer_until_somebody_has_looked(account):
    take_in(account)

    notice = Notice.objects.get()
    timer = Timer.objects.get(subject=notice.pk)
    assert (timer.kind, timer.run) == ("notice.take", None)
    assert 1.9 < (timer.due_at - notice.received_at).total_seconds() < 2.1


# Each makes a header of a fresh stamp and the good signature that goes with it.
GOOD_HEADERS = {
    "just so": lambda stamp, good: f"{stamp},{good}",
    "290 s old": lambda *_: signed(BODY, age_s=290),
    "290 s to come": lambda *_: signed(BODY, age_s=-290),
    "a good one, then a bad one": lambda stamp, good: f"{stamp},{good},v1={'0' * 64}",
    "a bad one, then a good one": lambda stamp, good: f"{stamp},v1={'0' * 64},{good}",
    "of another scheme as well": lambda stamp, good: f"{stamp},{good},v0=abc",
}
BAD_HEADERS = {
    "none": lambda *_: "",
    "a word": lambda *_: "x",
    "empty parts": lambda *_: "t=,v1=",
    "no signature": lambda stamp, _: stamp,
    "no time": lambda _, good: good,
    "cut short": lambda stamp, good: f"{stamp},{good[:-1]}",
    "in capitals": lambda stamp, good: f"{stamp},{good.upper()}",
    "another scheme": lambda stamp, good: f"{stamp},{good.replace('v1', 'v0')}",
    "no ASCII": lambda stamp, _: f"{stamp},v1=é",
    "no number": lambda stamp, good: f"{stamp}x,{good}",
    "a huge number": lambda _, good: f"t={'9' * 5_000},{good}",
    "a negative number": lambda _, good: f"t=-1,{good}",
    "another time": lambda _, good: f"t={int(time.time()) - 1},{good}",
    "301 s old": lambda *_: signed(BODY, age_s=301),
    "310 s to come": lambda *_: signed(BODY, age_s=-310),
    "another secret": lambda *_: signed(BODY, "whsec_another"),
    "another account's secret": lambda *_: signed(BODY, "whsec_of_elsewhere"),
    "another body": lambda *_: signed(BODY + b" "),
    "no body": lambda *_: signed(b""),
}


@pytest.mark.parametrize("header", GOOD_HEADERS.values(), ids=GOOD_HEADERS)
def test_one_good_signature_of_late_is_enough(account, header):
    assert take_in(account, signature=header(*signed(BODY).split(",")))
    assert kept() == Kept(1, 1)


@pytest.mark.parametrize("header", BAD_HEADERS.values(), ids=BAD_HEADERS)
def test_any_other_signature_is_refused_and_leaves_nothing(account, header):
    make_account("elsewhere", "whsec_of_elsewhere")

    assert take_in(account, signature=header(*signed(BODY).split(","))) is False
    assert kept() == NOTHING


@pytest.mark.parametrize("place", [0, len(BODY) // 2, len(BODY) - 1])
def test_a_body_altered_by_one_byte_is_refused(account, place):
    altered = BODY[:place] + bytes([BODY[place] ^ 1]) + BODY[place + 1 :]

    assert take_in(account, altered, signed(BODY)) is False
    assert kept() == NOTHING


@pytest.mark.parametrize("secret", [SECRET, ""])
def test_an_account_without_a_secret_refuses_everything(secret):
    account = make_account("unset", secret=None)

    assert take_in(account, signature=signed(BODY, secret)) is False
    assert kept() == NOTHING


@pytest.mark.parametrize(
    "account_id", ["", "x", "00000000-0000-4000-8000-000000000000", "é", "a" * 5_000]
)
def test_an_account_nobody_knows_refuses_everything(account, account_id):
    assert notices.take_in(account_id, BODY, signed(BODY)) is False
    assert kept() == NOTHING


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff",
        b"[]",
        b'{"id": "evt_1"}',
        event(event_id="evt 1"),
        event(event_id="e" * 201),
        event(type="x\0"),
        b"[" * 100_000,
    ],
)
def test_what_is_signed_and_no_event_is_refused(account, body):
    assert take_in(account, body) is False
    assert kept() == NOTHING


@pytest.mark.parametrize(
    ("odd", "known"),
    [
        ({"payment_intent": {"id": "pi_1"}, "metadata": None}, ("re_1", None, None)),
        ({"id": 5, "payment_intent": "pi\0"}, (None, None, f"csr_{'0' * 32}")),
        ({"metadata": {"external_request_id": "csr_another's"}}, ("re_1", "pi_1", None)),
        ({"id": "pi_9", "object": "payment_intent"}, ("pi_9", "pi_9", f"csr_{'0' * 32}")),
    ],
)
def test_odd_objects_are_kept_with_what_is_known_of_them(account, odd, known):
    assert take_in(account, event(**odd))

    notice = Notice.objects.get()
    assert (notice.object_ref, notice.payment, notice.external_request_id) == known


def test_the_same_event_again_is_one_row(account):
    assert take_in(account)
    Timer.objects.all().delete()

    assert take_in(account)

    assert kept() == Kept(1, 0)


def test_the_same_event_at_two_accounts_is_two_rows(account):
    other = make_account("elsewhere")

    assert [take_in(account), take_in(other)] == [True, True]

    assert kept() == Kept(2, 2)


@pytest.mark.django_db(transaction=True)
@pytest.mark.drill
@pytest.mark.parametrize("number", range(10))
def test_one_event_twenty_times_at_once_is_one_row_and_welcome_each_time(number):
    account = make_account("here")

    taken = race([partial(take_in, account)] * 20)

    assert taken == [True] * 20
    assert kept() == Kept(1, 1)
