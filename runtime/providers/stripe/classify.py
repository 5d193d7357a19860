"""What an answer of Stripe, or the lack of one, means for the call that asked."""

from __future__ import annotations

import re
from typing import Final, Literal

import requests
import stripe
import structlog
from pydantic import BaseModel, Field, ValidationError
from urllib3.exceptions import ConnectTimeoutError

from runtime.providers import answers as a

logger = structlog.get_logger(__name__)
SENTENCES: Final = {
    "charge_disputed": "The payment is disputed, so the provider does not refund it.",
    "amount_too_large": "The amount is more than is left of the payment.",
    "resource_missing": "The provider does not know this payment.",
}


class Refund(BaseModel):
    """The part of Stripe's refund object that decides anything."""

    id: str = Field(pattern=r"^[A-Za-z0-9_]{1,200}$")
    object: Literal["refund"]
    status: a.RefundStatus


def classify_refund(body: object) -> a.Answer:
    """Read a refund object; anything else under a 200 is no answer at all."""
    try:
        refund = Refund.model_validate(body)
    except ValidationError:
        return a.Unknown(code="unexpected_answer")
    return a.word_of(refund.id, refund.status)


def classify_error(error: stripe.StripeError) -> a.Answer:
    """Sort what the SDK raised; whatever is not known to be a no stays unknown."""
    code = _code(error.error.code if error.error else error.code, "")
    match error:
        case stripe.APIConnectionError():
            return _connection(error)
        case stripe.RateLimitError():
            return a.Throttled(code=code or "rate_limit")
        case stripe.AuthenticationError() | stripe.PermissionError():
            logger.error("the provider refuses our credentials", status=error.http_status)
            return a.Misconfigured(code=code or f"http_{error.http_status}")
        case stripe.IdempotencyError():
            logger.critical("a wire key was used before with other parameters")
            return a.LookFirst(code="key_reused")
        case stripe.InvalidRequestError() | stripe.CardError():
            return _refused(error, code)
        case _:
            return a.Unknown(code=code or f"http_{error.http_status}")


def explain_key_problem(error: stripe.StripeError, api_base: str) -> str:
    match error:
        case stripe.AuthenticationError():
            return f"{api_base} does not know this key."
        case stripe.PermissionError():
            return (
                "The key is restricted and may not read refunds. "
                "It has to write refunds, and to read payment intents, charges and refunds."
            )
        case stripe.APIConnectionError():
            return f"{api_base} cannot be reached, so the key was not checked."
        case _:
            status = error.http_status
            return f"{api_base} answered {status}, so the key was not checked. Try again."


def _refused(error: stripe.InvalidRequestError | stripe.CardError, code: str) -> a.Answer:
    if code == "charge_already_refunded":
        return a.LookFirst(code=code)
    if not code:
        code = "amount_too_large" if error.param == "amount" else "refused_by_provider"
    detail = SENTENCES.get(code, f"The provider refused the refund: {code}.")
    return a.Failed(code=code, detail=detail)


def _connection(error: stripe.APIConnectionError) -> a.Answer:
    cause = error.__cause__
    if isinstance(cause, requests.ConnectionError) and cause.args:
        reason = getattr(cause.args[0], "reason", None)
        # Also the base class of a refused connection: no socket, so nothing was written.
        if isinstance(reason, ConnectTimeoutError):
            return a.NotSent(code="unreachable")
    timed_out = isinstance(cause, requests.Timeout)
    return a.Unknown(code="timeout" if timed_out else "connection_lost")


def _code(given: str | None, otherwise: str) -> str:
    """Give a provider's code when it looks like one: it goes into the log and on pages."""
    return given if given and re.fullmatch(r"[a-z0-9_]{1,60}", given) else otherwise
