"""Recognise a value again without telling it to whoever reads the database."""

from __future__ import annotations

from functools import cache
from typing import Any

from django.conf import settings

from runtime.canonical import canonical, keyed_digest
from runtime.data_keys import unwrap, wrap
from runtime.event_types import upcasts
from runtime.events import RunStarted, RunStartedV1
from runtime.models import FingerprintKey


def fingerprint(value: Any) -> str:  # noqa: ANN401 - any JSON value
    return keyed_digest(_opened(_wrapped()), canonical(value))


def order_key(order_id: str | None) -> str | None:
    """A short name for an order id of any length, fit for an index."""
    return None if order_id is None else fingerprint({"order": order_id})


def about(order_key: str | None, customer: str | None = None) -> str | None:
    """Whose data the texts of a run are: its customer's, for whom the order may stand."""
    if customer is not None:
        return f"customer:{fingerprint({'customer': customer})}"
    return None if order_key is None else f"order:{order_key}"


@upcasts(RunStartedV1)
def _name_the_order_by_its_key(old: RunStartedV1) -> RunStarted:
    """The order is known by its keyed digest, and the run's texts are the order's."""
    key = order_key(old.order_id)
    kept = old.model_dump(exclude={"order_id"})
    return RunStarted(**kept, order_key=key, about=about(key))


@cache
def _wrapped() -> bytes:
    """The one key that never changes: what was recognised before has to be ever after.

    It began as the data key of its day, and is only wrapped anew where that is rotated.
    """
    first = {"wrapped": wrap(settings.DATA_KEYS[-1].encode())}
    row, _ = FingerprintKey.objects.get_or_create(pk=1, defaults=first)
    return bytes(row.wrapped)


@cache
def _opened(wrapped: bytes) -> bytes:
    return unwrap(wrapped)
