"""Stripe's webhooks: whose signature one bears, and the little that is read of it."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal

import stripe
from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from runtime.providers.protocol import Said

TOLERANCE_S: Final = 300
# Whatever asks for a look at a payment; none of them is depended on.
EVENTS: Final = (
    "refund.created",
    "refund.updated",
    "refund.failed",
    "charge.refunded",
    "charge.refund.updated",
    "charge.dispute.created",
    "charge.dispute.closed",
)
SIGNED_AT: Final = re.compile(r"(?:^|,)t=([0-9]{1,12})(?:,|$)", re.ASCII)
ID: Final = re.compile(r"[A-Za-z0-9_]{1,200}", re.ASCII)
OUR_REFERENCE: Final = re.compile(r"csr_[0-9a-f]{32}", re.ASCII)


def _an_id(value: object) -> str | None:
    return value if isinstance(value, str) and ID.fullmatch(value) else None


def _our_reference(value: object) -> str | None:
    given = value.get("external_request_id") if isinstance(value, dict) else None
    return given if isinstance(given, str) and OUR_REFERENCE.fullmatch(given) else None


class Named(BaseModel):
    """The object an event is about: which one it is, of which payment, and whose reference."""

    id: Annotated[str | None, BeforeValidator(_an_id)] = None
    object: Any = None
    payment_intent: Annotated[str | None, BeforeValidator(_an_id)] = None
    metadata: Annotated[str | None, BeforeValidator(_our_reference)] = None


class Data(BaseModel):
    object: Named


class Event(BaseModel):
    id: Annotated[str, Field(pattern=r"^[A-Za-z0-9_]{1,200}$")]
    object: Literal["event"]
    type: Annotated[str, Field(pattern=r"^[a-z0-9_.]{1,100}$")]
    created: Annotated[int, Field(ge=0, le=99_999_999_999)]
    data: Data


def read_notice(body: bytes, signature: str, secret: str) -> Said | None:
    """Answer what a webhook names, or None for one that `secret` has not signed lately."""
    if not _is_signed(body, signature, secret):
        return None
    try:
        event = Event.model_validate_json(body)
    except ValidationError:
        return None
    named = event.data.object
    return Said(
        event_id=event.id,
        event_type=event.type,
        object_ref=named.id,
        payment=named.id if named.object == "payment_intent" else named.payment_intent,
        external_request_id=named.metadata,
        said_at=datetime.fromtimestamp(event.created, UTC),
    )


def _is_signed(body: bytes, signature: str, secret: str) -> bool:
    at = SIGNED_AT.search(signature)
    # The library looks at neither: what is no ASCII it cannot compare, what is to come it takes.
    if at is None or not signature.isascii() or int(at[1]) > time.time() + TOLERANCE_S:
        return False
    try:
        stripe.WebhookSignature.verify_header(body, signature, secret, TOLERANCE_S)
    except (stripe.SignatureVerificationError, UnicodeDecodeError):
        return False
    return True
