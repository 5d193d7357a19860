"""What the provider says no with: Stripe's error bodies."""

from __future__ import annotations

import json

INVALID_REQUEST = "invalid_request_error"


class StripeError(Exception):
    """A refusal with its HTTP status, as Stripe words it."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        kind: str = INVALID_REQUEST,
        code: str | None = None,
        param: str | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        fields = {"type": kind, "code": code, "message": message, "param": param}
        self.error = {name: value for name, value in fields.items() if value is not None}

    def body(self) -> bytes:
        return json.dumps({"error": self.error}).encode()


class InvalidParamsError(StripeError):
    """The request never began to execute, so nothing is kept under its key."""


def missing(kind: str, object_id: str, param: str = "id") -> StripeError:
    message = f"No such {kind}: '{object_id}'"
    return StripeError(404, message, code="resource_missing", param=param)


def unrecognized(method: str, path: str) -> InvalidParamsError:
    return InvalidParamsError(404, f"Unrecognized request URL ({method}: {path}).")


def unauthorized() -> InvalidParamsError:
    return InvalidParamsError(401, "Invalid API Key provided.")


def key_in_use() -> InvalidParamsError:
    message = "There is currently another in-progress request using this Idempotency Key."
    return InvalidParamsError(409, message, code="idempotency_key_in_use")


def key_mismatch() -> InvalidParamsError:
    message = (
        "Keys for idempotent requests can only be used with the same parameters "
        "and endpoint they were first used with."
    )
    return InvalidParamsError(400, message, kind="idempotency_error")


def injected(status: int) -> StripeError:
    """What a `status` fault answers."""
    message = f"The sandbox was told to answer {status}."
    match status:
        case 429:
            return StripeError(status, message, code="rate_limit")
        case 409:
            return StripeError(status, message, code="idempotency_key_in_use")
        case _ if status >= 500:  # noqa: PLR2004 - the first server error
            return StripeError(status, message, kind="api_error")
        case _:
            return StripeError(status, message)
