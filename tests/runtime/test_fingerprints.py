from __future__ import annotations

import hmac

import pytest
from django.conf import settings

from runtime.canonical import canonical
from runtime.event_types import decode, encode
from runtime.events import RunStarted, RunStartedV1
from runtime.fingerprints import about, fingerprint, order_key
from runtime.models import FingerprintKey
from tests.runtime.logs import started_run

pytestmark = pytest.mark.django_db


def test_what_was_recognised_under_the_first_data_key_still_is():
    key = settings.DATA_KEYS[-1].encode()

    assert fingerprint({"a": 1}) == hmac.digest(key, b'{"a":1}', "sha256").hex()
    assert fingerprint({"a": 1}) != fingerprint({"a": 2})


def test_its_key_is_stored_wrapped():
    fingerprint({"a": 1})

    wrapped = [bytes(each.wrapped) for each in FingerprintKey.objects.all()]
    assert all(settings.DATA_KEYS[-1].encode() not in each for each in wrapped)


def test_an_order_of_an_old_fact_is_known_by_the_key_it_has_now():
    started = started_run().facts[0].payload
    kept = started.model_dump(mode="json", exclude={"order_key", "about"})
    old = RunStartedV1(**kept, order_id="order-001")

    read = decode("run.started", 1, encode(old))

    assert isinstance(read, RunStarted)
    assert (read.order_key, read.about) == (
        order_key("order-001"),
        f"order:{order_key('order-001')}",
    )
    assert "order-001" not in encode(read)


def test_an_old_fact_without_an_order_is_of_its_own_run():
    started = started_run().facts[0].payload
    kept = started.model_dump(mode="json", exclude={"order_key", "about"})

    read = decode("run.started", 1, canonical(kept | {"order_id": None}))

    assert isinstance(read, RunStarted)
    assert (read.order_key, read.about) == (None, None)


def test_a_customer_is_somebody_else_than_their_order():
    key = order_key("ada")

    assert about(key, "ada") == about(None, "ada") != about(key)
