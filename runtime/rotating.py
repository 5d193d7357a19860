"""Wrap everything that data keys protect under the newest of them, a few rows at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

from django.db import transaction

from runtime.data_keys import rewrapped
from runtime.errors import DataKeyError
from runtime.fingerprints import fingerprint
from runtime.models import FingerprintKey, PersonalKey, ProviderAccount

# So many rows wait at once, and a rotation that is killed has lost so many.
BATCH: Final = 100
Became = Literal["wrapped anew", "current", "not readable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Protected:
    """A column that data keys protect, as people call what is in it."""

    name: str
    model: type[FingerprintKey | PersonalKey | ProviderAccount]
    column: str


PROTECTED: Final = (
    Protected(name="keys of people", model=PersonalKey, column="wrapped"),
    Protected(name="provider keys", model=ProviderAccount, column="secret"),
    Protected(name="webhook secrets", model=ProviderAccount, column="webhook_secret"),
    Protected(name="fingerprint keys", model=FingerprintKey, column="wrapped"),
)


def rotate(protected: Protected, *, check: bool = False) -> Counter[Became]:
    """Count what became of each row; what no data key opens stays as it is.

    Begun again after it was killed, it goes on with what is left. `check` writes nothing
    and counts as wrapped anew what would be.
    """
    if protected.model is FingerprintKey and not check:
        # There has to be one before the data key it begins as is gone.
        fingerprint(None)
    became: Counter[Became] = Counter()
    for batch in batches(protected):
        with transaction.atomic():
            became.update(rotate_batch(protected, batch, check=check))
    return became


def batches(protected: Protected) -> Iterator[list[Any]]:
    keys = protected.model.objects.order_by("pk").values_list("pk", flat=True)
    after: list[Any] = list(keys[:BATCH])
    while after:
        yield after
        after = list(keys.filter(pk__gt=after[-1])[:BATCH])


def rotate_batch(protected: Protected, batch: list[Any], *, check: bool) -> Iterator[Became]:
    rows = protected.model.objects.select_for_update(no_key=True).filter(pk__in=batch)
    for row in rows.exclude(**{protected.column: None}).order_by("pk"):
        try:
            anew = rewrapped(bytes(getattr(row, protected.column)))
        except DataKeyError:
            yield "not readable"
            continue
        if anew is not None and not check:
            setattr(row, protected.column, anew)
            row.save(update_fields=[protected.column])
        yield "current" if anew is None else "wrapped anew"
