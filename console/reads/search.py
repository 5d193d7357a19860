"""Which runs somebody means by an id they have in hand."""

from __future__ import annotations

from contextlib import suppress
from uuid import UUID

from django.db.models import Q

from runtime.fingerprints import about, order_key
from runtime.search import runs_naming


def named(workspace: UUID, q: str) -> Q:
    """A run by its own id, its order's or customer's, or whatever its calls are called outside."""
    ids = {*runs_naming(workspace, q)}
    with suppress(ValueError):
        ids.add(UUID(q))
    return Q(order_key=order_key(q)) | Q(about=about(None, customer=q)) | Q(pk__in=ids)
