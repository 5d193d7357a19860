"""What the provider announces when a refund is made or moves."""

from __future__ import annotations

import json
from dataclasses import dataclass

from runtime.sandbox import objects
from runtime.sandbox.ledger import Refund, new_id, payment_of
from runtime.sandbox.objects import Json
from runtime.sandbox.store import Store

API_VERSION = "2026-10-28.endive"


@dataclass(frozen=True, slots=True, kw_only=True)
class Announcement:
    """One event as it goes over the wire; sent twice, it keeps its id."""

    body: bytes


def refund_created(store: Store, refund: Refund) -> tuple[Announcement, ...]:
    payment = payment_of(store, refund.charge)
    return (
        _event(store, "refund.created", {"object": objects.refund(refund, payment)}),
        _event(store, "charge.refunded", {"object": objects.charge(payment)}),
    )


def refund_moved(store: Store, before: Refund, after: Refund) -> tuple[Announcement, ...]:
    data = {
        "object": objects.refund_with_payment(store, after),
        "previous_attributes": {"status": before.status},
    }
    types = ["refund.updated"]
    if after.status == "failed" != before.status:
        types.append("refund.failed")
    return tuple(_event(store, event_type, data) for event_type in types)


def _event(store: Store, event_type: str, data: Json) -> Announcement:
    event = {
        "id": new_id("evt"),
        "object": "event",
        "api_version": API_VERSION,
        "created": int(store.now()),
        "data": data,
        "livemode": False,
        "pending_webhooks": 1,
        "request": {"id": None, "idempotency_key": None},
        "type": event_type,
    }
    return Announcement(body=json.dumps(event).encode())
