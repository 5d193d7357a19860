from __future__ import annotations

import socket
import time
from uuid import uuid4

import httpx
import pytest
import stripe

from tests.sandbox.conftest import error_code, make_sdk


@pytest.fixture
def intent() -> str:
    return uuid4().hex


def refund(sdk, payment, intent, key=None):
    asked = {"payment_intent": payment["id"], "amount": 100, "metadata": {"intent": intent}}
    return sdk.v1.refunds.create(asked, {"idempotency_key": key or intent})


def journaled(control, intent) -> list[tuple[int | None, bool]]:
    return [(entry["status"], entry["moved_money"]) for entry in control.journal(intent)]


def test_the_journal_tells_each_request_as_it_came(sdk, control, intent):
    payment = control.payment(1_000)
    start = len(control.journal())
    refund(sdk, payment, intent)
    sdk.v1.refunds.list({"payment_intent": payment["id"]})

    created, listed = control.journal()[start:]

    assert created.pop("at").endswith("+00:00")
    assert created == {
        "method": "POST",
        "path": "/v1/refunds",
        "key": intent,
        "metadata": {"intent": intent},
        "status": 200,
        "moved_money": True,
    }
    assert (listed["method"], listed["path"], listed["key"]) == ("GET", "/v1/refunds", None)
    assert control.journal(intent) == [control.journal()[start]]


def test_a_dropped_request_is_journaled_and_never_processed(sdk, control, intent):
    payment = control.payment(1_000)
    control.fault("refund.create", "drop_request", match={"intent": intent})

    with pytest.raises(stripe.APIConnectionError):
        refund(sdk, payment, intent)

    assert journaled(control, intent) == [(None, False)]
    assert sdk.v1.refunds.list({"payment_intent": payment["id"]}).data == []
    assert refund(sdk, payment, intent).status == "succeeded"


@pytest.mark.parametrize(
    ("kind", "error", "http_status"),
    [
        ("drop_answer", stripe.APIConnectionError, None),
        ("truncate", stripe.APIConnectionError, None),
        ("empty", stripe.APIError, 200),
    ],
)
def test_a_lost_answer_was_processed_and_its_key_replays_it(
    sdk, control, intent, kind, error, http_status
):
    payment = control.payment(1_000)
    control.fault("refund.create", kind, match={"payment": payment["id"], "intent": intent})

    with pytest.raises(error) as lost:
        refund(sdk, payment, intent)

    assert type(lost.value) is error
    assert lost.value.http_status == http_status
    [found] = sdk.v1.refunds.list({"payment_intent": payment["id"]}).data
    assert refund(sdk, payment, intent).id == found.id
    assert journaled(control, intent) == [(200, True), (200, False)]


def test_a_truncated_answer_promises_more_than_it_brings(wire, control, intent):
    payment = control.payment(1_000)
    control.fault("payment.read", "truncate", match={"payment": payment["id"]})

    with wire.stream("GET", f"/v1/payment_intents/{payment['id']}") as answer:
        with pytest.raises(httpx.RemoteProtocolError):
            answer.read()
        promised, brought = int(answer.headers["Content-Length"]), answer.num_bytes_downloaded

    assert (answer.status_code, brought) == (200, promised // 2)


def test_a_delayed_answer_is_processed_first(sandbox, control, intent):
    payment = control.payment(1_000)
    control.fault("refund.create", "delay", seconds=0.6, match={"intent": intent})
    start = time.monotonic()

    with pytest.raises(stripe.APIConnectionError):
        refund(make_sdk(sandbox, time_out_s=0.3), payment, intent)

    assert time.monotonic() - start < 0.6
    assert journaled(control, intent) == [(200, True)]


def test_a_delayed_answer_comes_in_the_end(sdk, control):
    payment = control.payment(1_000)
    control.fault("payment.read", "delay", seconds=0.3, match={"payment": payment["latest_charge"]})
    start = time.monotonic()

    read = sdk.v1.payment_intents.retrieve(payment["id"])

    assert read.id == payment["id"]
    assert time.monotonic() - start >= 0.3


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, stripe.InvalidRequestError),
        (401, stripe.AuthenticationError),
        (403, stripe.PermissionError),
        (409, stripe.APIError),
        (424, stripe.APIError),
        (429, stripe.RateLimitError),
        (500, stripe.APIError),
        (502, stripe.APIError),
        (503, stripe.APIError),
    ],
)
def test_a_status_comes_before_processing_and_frees_the_key(sdk, control, intent, status, error):
    payment = control.payment(1_000)
    control.fault("refund.create", "status", status=status, match={"intent": intent})

    with pytest.raises(error) as refused:
        refund(sdk, payment, intent)

    assert (type(refused.value), refused.value.http_status) == (error, status)
    assert control.payouts(intent) == 0
    assert refund(sdk, payment, intent).status == "succeeded"
    assert journaled(control, intent) == [(status, False), (200, True)]


def test_a_bad_gateway_speaks_html(wire, control):
    payment = control.payment(1_000)
    control.fault("payment.read", "status", status=502, match={"payment": payment["id"]})

    answer = wire.get(f"/v1/payment_intents/{payment['id']}")

    assert answer.headers["Content-Type"].startswith("text/html")


def test_a_rate_limit_carries_its_code_in_the_body(sdk, control, intent):
    payment = control.payment(1_000)
    control.fault("refund.create", "status", status=429, match={"intent": intent})

    with pytest.raises(stripe.RateLimitError) as refused:
        refund(sdk, payment, intent)

    assert error_code(refused.value) == "rate_limit"


def test_a_500_after_the_commit_is_what_the_key_replays_for_ever(sdk, control, intent):
    payment = control.payment(1_000)
    control.fault(
        "refund.create", "status", status=500, after_commit=True, match={"intent": intent}
    )

    for _ in range(3):
        with pytest.raises(stripe.APIError) as refused:
            refund(sdk, payment, intent)
        assert refused.value.http_status == 500

    assert journaled(control, intent) == [(500, True), (500, False), (500, False)]
    [found] = sdk.v1.refunds.list({"payment_intent": payment["id"]}).data
    assert found.metadata["intent"] == intent


def test_a_fault_meets_only_what_it_matches_and_only_so_often(sdk, control, intent):
    payment, other = control.payment(1_000), control.payment(1_000)
    control.fault("refund.create", "status", times=2, status=500, match={"payment": payment["id"]})
    control.fault("refund.list", "status", status=503, match={"intent": intent})

    assert refund(sdk, other, f"{intent}-other").status == "succeeded"
    for _ in range(2):
        with pytest.raises(stripe.APIError):
            refund(sdk, payment, intent)
    assert refund(sdk, payment, intent).status == "succeeded"
    assert len(sdk.v1.refunds.list({"payment_intent": other["id"]}).data) == 1
    with pytest.raises(stripe.APIError):
        sdk.v1.refunds.list({"payment_intent": payment["id"]})
    assert len(sdk.v1.refunds.list({"payment_intent": payment["id"]}).data) == 1


def test_cleared_faults_meet_nobody(sdk, control, intent):
    payment = control.payment(1_000)
    control.fault("refund.create", "drop_request")
    control.clear_faults()

    assert refund(sdk, payment, intent).status == "succeeded"


def test_a_request_that_is_cut_off_is_not_a_request(sandbox, control):
    before = control.journal()
    with socket.create_connection(("127.0.0.1", sandbox.port)) as half:
        half.sendall(b"POST /v1/refunds HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\namount")

    time.sleep(0.2)

    assert control.journal() == before
