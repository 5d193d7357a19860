"""Webhooks as Stripe would send them, and as somebody else might."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from itertools import count
from typing import Any

from runtime.data_keys import seal
from runtime.models import Notice, ProviderAccount, Timer, Workspace
from runtime.sandbox.webhooks import signature

numbers = count(1)
SECRET = "whsec_ours"


def make_account(slug: str, secret: str | None = SECRET) -> ProviderAccount:
    return ProviderAccount.objects.create(
        workspace=Workspace.objects.create(slug=slug, name=slug),
        provider="stripe",
        label="stripe",
        api_base="http://127.0.0.1:9",
        secret=seal("sk_test_1"),
        webhook_secret=None if secret is None else seal(secret),
    )


def event(**changes: Any) -> bytes:
    """`changes` are of the object, but for `event_id` and `type`."""
    kind = changes.pop("type", "refund.updated")
    made = {
        "id": changes.pop("event_id", f"evt_{next(numbers)}"),
        "object": "event",
        "type": kind,
        "created": 1_700_000_000,
        "data": {
            "object": {
                "id": "re_1",
                "object": "refund",
                "payment_intent": "pi_1",
                "description": "for Nadia Karimi",
                "metadata": {"external_request_id": f"csr_{'0' * 32}", "name": "Nadia"},
                **changes,
            }
        },
    }
    return json.dumps(made).encode()


def signed(body: bytes, secret: str = SECRET, *, age_s: int = 0) -> str:
    return signature(body, secret, int(time.time()) - age_s)


@dataclass(frozen=True)
class Kept:
    notices: int
    timers: int


def kept() -> Kept:
    """What there is of webhooks, whoever sent them."""
    timers = Timer.objects.filter(kind="notice.take")
    return Kept(Notice.objects.count(), timers.count())


NOTHING = Kept(0, 0)
