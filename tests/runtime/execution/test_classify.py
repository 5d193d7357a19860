"""Every row of the provider's answers, and what each means for the call."""

from __future__ import annotations

from typing import Any

import pytest
import requests
import stripe
from urllib3.connection import HTTPConnection
from urllib3.connectionpool import HTTPConnectionPool
from urllib3.exceptions import (
    ConnectTimeoutError,
    MaxRetryError,
    NewConnectionError,
    ProtocolError,
)

from runtime.providers import answers as a
from runtime.providers.stripe.classify import classify_error, classify_refund

REF = "re_1"
UNEXPECTED = a.Unknown(code="unexpected_answer")


def refund(**changes) -> dict[str, Any]:
    return {"id": REF, "object": "refund", "status": "succeeded", "amount": 5} | changes


@pytest.mark.parametrize(
    ("body", "meaning"),
    [
        (refund(), a.Completed(result_ref=REF)),
        (refund(status="pending"), a.Accepted(result_ref=REF)),
        (refund(status="requires_action"), a.Accepted(result_ref=REF)),
        (
            refund(status="failed", failure_reason="lost_or_stolen_card"),
            a.Failed(
                code="refund_failed",
                detail="The refund re_1 is failed at the provider.",
                result_ref=REF,
            ),
        ),
        (
            refund(status="canceled"),
            a.Failed(
                code="refund_canceled",
                detail="The refund re_1 is canceled at the provider.",
                result_ref=REF,
            ),
        ),
        (refund(status="teleported"), UNEXPECTED),
        (refund(object="charge"), UNEXPECTED),
        (refund(id=""), UNEXPECTED),
        (refund(id="re_\x00"), UNEXPECTED),
        (refund(id=7), UNEXPECTED),
        ({}, UNEXPECTED),
        ([], UNEXPECTED),
        (None, UNEXPECTED),
    ],
)
def test_a_body_under_a_200(body, meaning):
    assert classify_refund(body) == meaning


def api_error(
    kind: type[stripe.StripeError], status: int | None, code=None, *, param=None
) -> stripe.StripeError:
    """The error as the SDK raises it: the code may stand in its body alone."""
    body = {"error": {"code": code, "message": "no", "param": param}}
    if kind is stripe.InvalidRequestError:
        return kind("no", param, http_status=status, json_body=body, code=code)
    if kind is stripe.CardError:
        return kind("no", param, code, http_status=status, json_body=body)
    return kind("no", http_status=status, json_body=body)


DISPUTED = "The payment is disputed, so the provider does not refund it."
TOO_LARGE = "The amount is more than is left of the payment."
MISSING = "The provider does not know this payment."


@pytest.mark.parametrize(
    ("error", "meaning"),
    [
        (api_error(stripe.APIError, 200), a.Unknown(code="http_200")),
        (api_error(stripe.APIError, 500), a.Unknown(code="http_500")),
        (api_error(stripe.APIError, 502), a.Unknown(code="http_502")),
        (api_error(stripe.APIError, 424), a.Unknown(code="http_424")),
        (
            api_error(stripe.APIError, 409, "idempotency_key_in_use"),
            a.Unknown(code="idempotency_key_in_use"),
        ),
        (api_error(stripe.RateLimitError, 429, "rate_limit"), a.Throttled(code="rate_limit")),
        (api_error(stripe.RateLimitError, 429, "lock_timeout"), a.Throttled(code="lock_timeout")),
        (api_error(stripe.RateLimitError, 429), a.Throttled(code="rate_limit")),
        (api_error(stripe.AuthenticationError, 401), a.Misconfigured(code="http_401")),
        (api_error(stripe.PermissionError, 403), a.Misconfigured(code="http_403")),
        (api_error(stripe.IdempotencyError, 400), a.LookFirst(code="key_reused")),
        (
            api_error(stripe.InvalidRequestError, 400, "charge_already_refunded"),
            a.LookFirst(code="charge_already_refunded"),
        ),
        (
            api_error(stripe.InvalidRequestError, 400, "charge_disputed"),
            a.Failed(code="charge_disputed", detail=DISPUTED),
        ),
        (
            api_error(stripe.InvalidRequestError, 400, param="amount"),
            a.Failed(code="amount_too_large", detail=TOO_LARGE),
        ),
        (
            api_error(stripe.InvalidRequestError, 404, "resource_missing"),
            a.Failed(code="resource_missing", detail=MISSING),
        ),
        (
            api_error(stripe.InvalidRequestError, 400),
            a.Failed(
                code="refused_by_provider",
                detail="The provider refused the refund: refused_by_provider.",
            ),
        ),
        (
            api_error(stripe.CardError, 402, "card_declined"),
            a.Failed(
                code="card_declined", detail="The provider refused the refund: card_declined."
            ),
        ),
        (
            api_error(stripe.InvalidRequestError, 400, "<script>\x00"),
            a.Failed(
                code="refused_by_provider",
                detail="The provider refused the refund: refused_by_provider.",
            ),
        ),
        (api_error(stripe.StripeError, 418), a.Unknown(code="http_418")),
    ],
)
def test_an_error_of_the_provider(error, meaning):
    assert classify_error(error) == meaning


POOL = HTTPConnectionPool("127.0.0.1")
SOCKET = HTTPConnection("127.0.0.1")


def lost(cause: Exception) -> stripe.APIConnectionError:
    error = stripe.APIConnectionError("Unexpected error communicating with Stripe.")
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("cause", "meaning"),
    [
        (
            requests.ConnectionError(
                MaxRetryError(POOL, "/", NewConnectionError(SOCKET, "refused"))
            ),
            a.NotSent(code="unreachable"),
        ),
        (
            requests.ConnectTimeout(MaxRetryError(POOL, "/", ConnectTimeoutError())),
            a.NotSent(code="unreachable"),
        ),
        (requests.ReadTimeout("read timed out"), a.Unknown(code="timeout")),
        (
            requests.ConnectionError(ProtocolError("Connection aborted.", OSError("reset"))),
            a.Unknown(code="connection_lost"),
        ),
        (requests.ConnectionError(), a.Unknown(code="connection_lost")),
        (requests.exceptions.SSLError("handshake"), a.Unknown(code="connection_lost")),
        (requests.exceptions.ChunkedEncodingError("short"), a.Unknown(code="connection_lost")),
    ],
)
def test_a_connection_that_broke(cause, meaning):
    assert classify_error(lost(cause)) == meaning
