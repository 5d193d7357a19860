"""Which rule of the database was broken: its constraint's name reads as the rule."""

from __future__ import annotations

from django.db import IntegrityError
from psycopg import Error

INTENT_TAKEN = frozenset({"one_call_per_intent_and_epoch", "one_live_call_per_intent"})
RECEIPT_EXISTS = frozenset({"one_receipt_per_command"})
NOTICE_EXISTS = frozenset({"one_notice_per_provider_event"})
REQUEST_KEY_EXISTS = frozenset({"one_row_per_request_key"})


def broken_rule(error: IntegrityError) -> str | None:
    cause = error.__cause__
    return cause.diag.constraint_name if isinstance(cause, Error) else None
