from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
import stripe

from tests.sandbox.conftest import error_code, make_sdk
from tests.sandbox_client import Sandbox


@pytest.fixture
def key() -> str:
    return uuid4().hex


def create(wire, payment, key, **more):
    form = {"payment_intent": payment["id"], **more}
    return wire.post("/v1/refunds", data=form, headers={"Idempotency-Key": key})


def test_the_same_request_again_gets_the_same_answer_and_says_so(wire, control, key):
    payment = control.payment(1_000)
    intent = {"metadata[intent]": key, "amount": "400"}

    first, again = (create(wire, payment, key, **intent) for _ in range(2))

    assert (first.status_code, again.status_code) == (200, 200)
    assert first.content == again.content
    assert "Idempotent-Replayed" not in first.headers
    assert again.headers["Idempotent-Replayed"] == "true"
    moves = [(entry["key"], entry["moved_money"]) for entry in control.journal(key)]
    assert moves == [(key, True), (key, False)]


def test_ten_parallel_requests_with_one_key_make_one_refund(sdk, control, key):
    payment = control.payment(10_000)
    asked = {"payment_intent": payment["id"], "amount": 100, "metadata": {"intent": key}}

    with ThreadPoolExecutor(10) as pool:
        refunds = pool.map(
            lambda _: sdk.v1.refunds.create(asked, {"idempotency_key": key}), range(10)
        )
        ids = {refund.id for refund in refunds}

    assert len(ids) == 1
    assert control.payouts(key) == 1
    assert sdk.v1.charges.retrieve(payment["latest_charge"]).amount_refunded == 100


def test_a_key_used_for_something_else_is_an_idempotency_error(sdk, control, key):
    payment = control.payment(1_000)
    options = {"idempotency_key": key}
    sdk.v1.refunds.create({"payment_intent": payment["id"], "amount": 100}, options)

    with pytest.raises(stripe.IdempotencyError) as refused:
        sdk.v1.refunds.create({"payment_intent": payment["id"], "amount": 200}, options)
    with pytest.raises(stripe.IdempotencyError):
        sdk.v1.payment_intents.create({"amount": 100, "currency": "usd"}, options)

    assert refused.value.http_status == 400
    assert sdk.v1.charges.retrieve(payment["latest_charge"]).amount_refunded == 100


def test_a_key_whose_first_request_is_not_answered_yet_is_in_use(sandbox, control, key):
    payment = control.payment(1_000)
    asked = {"payment_intent": payment["id"], "metadata": {"intent": key}}
    control.fault("refund.create", "delay", seconds=0.8, match={"intent": key})

    def create():
        return make_sdk(sandbox).v1.refunds.create(asked, {"idempotency_key": key})

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(create)
        while not control.journal(key):
            time.sleep(0.01)
        with pytest.raises(stripe.APIError) as refused:
            create()
        refund = first.result()

    assert refused.value.http_status == 409
    assert error_code(refused.value) == "idempotency_key_in_use"
    assert create().id == refund.id
    assert control.payouts(key) == 1


def test_a_refusal_of_the_books_is_replayed_too(wire, control, key):
    payment = control.payment(1_000, disputed=True)
    first = create(wire, payment, key)
    control.dispute(payment["id"], disputed=False)

    again = create(wire, payment, key)

    assert (first.status_code, again.content) == (400, first.content)


def test_errors_before_execution_leave_the_key_free(wire, control, key):
    payment = control.payment(1_000)
    control.fault("refund.create", "status", status=429, match={"payment": payment["id"]})
    unauthorized = wire.post(
        "/v1/refunds",
        data={"payment_intent": payment["id"]},
        headers={"Idempotency-Key": key, "Authorization": "Bearer sk_test_other"},
    )

    throttled = create(wire, payment, key)
    malformed = create(wire, payment, key, amount="x")
    done = create(wire, payment, key)

    answers = (unauthorized, throttled, malformed, done)
    assert [answer.status_code for answer in answers] == [401, 429, 400, 200]
    assert "Idempotent-Replayed" not in done.headers


@pytest.mark.parametrize("bad", ["", "k" * 256])
def test_a_key_must_be_one_to_255_characters_long(wire, control, bad):
    payment = control.payment(1_000)

    refused = create(wire, payment, bad)

    assert refused.status_code == 400


def test_a_key_is_forgotten_when_its_life_is_over_and_then_pays_again(tmp_path, key):
    with Sandbox(tmp_path, key_life_s=100) as sandbox:
        sdk = make_sdk(sandbox)
        payment = sandbox.control.payment(1_000)
        asked = {"payment_intent": payment["id"], "amount": 100, "metadata": {"intent": key}}

        first = sdk.v1.refunds.create(asked, {"idempotency_key": key})
        sandbox.control.advance_clock(98)
        alive = sdk.v1.refunds.create(asked, {"idempotency_key": key})
        sandbox.control.advance_clock(2)
        forgotten = sdk.v1.refunds.create(asked, {"idempotency_key": key})

        assert alive.id == first.id
        assert forgotten.id != first.id
        assert sandbox.control.payouts(key) == 2
        assert forgotten.created - first.created >= 100


def test_a_provider_without_keys_pays_twice(sdk, control, key):
    control.profile("lookup_only")
    payment = control.payment(1_000)
    asked = {"payment_intent": payment["id"], "amount": 100, "metadata": {"intent": key}}

    for _ in range(2):
        sdk.v1.refunds.create(asked, {"idempotency_key": key})

    assert control.payouts(key) == 2
    assert len(sdk.v1.refunds.list({"payment_intent": payment["id"]}).data) == 2


@pytest.mark.parametrize(("profile", "payouts"), [("key_only", 1), ("neither", 2)])
def test_a_provider_without_look_up_does_not_know_the_url(sdk, control, key, profile, payouts):
    control.profile(profile)
    payment = control.payment(1_000)
    asked = {"payment_intent": payment["id"], "amount": 100, "metadata": {"intent": key}}
    refunds = [sdk.v1.refunds.create(asked, {"idempotency_key": key}) for _ in range(2)]

    for look_up in (sdk.v1.refunds.list, lambda: sdk.v1.refunds.retrieve(refunds[0].id)):
        with pytest.raises(stripe.InvalidRequestError) as refused:
            look_up()
        assert refused.value.http_status == 404

    assert control.payouts(key) == payouts
