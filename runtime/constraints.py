"""Which rule of the database was broken, and what that means to whoever asked for it.

A rule that a request can meet, because somebody else was quicker, is an error of its own here or
in the app whose rule it is. Any other is broken by a defect of ours alone: it stays what it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from inspect import cleandoc
from typing import ClassVar

from django.db import IntegrityError
from psycopg import Error


class RuleError(Exception):
    """Somebody else was quicker; nothing was changed."""

    constraints: ClassVar[frozenset[str]] = frozenset()

    def __str__(self) -> str:
        return cleandoc(type(self).__doc__ or "")


class IntentTakenError(RuleError):
    """Another run already holds this intent."""

    constraints = frozenset({"one_call_per_intent_and_epoch", "one_live_call_per_intent"})


class CommandIdTakenError(RuleError):
    """This command id was used before, with another body."""  # noqa: D404 - a person reads it

    constraints = frozenset({"one_receipt_per_command"})


class NoticeKnownError(RuleError):
    """The provider's event has been taken in before."""

    constraints = frozenset({"one_notice_per_provider_event"})


class RequestKeyTakenError(RuleError):
    """Another request with this key is being answered."""

    constraints = frozenset({"one_row_per_request_key"})


class NameTakenError(RuleError):
    """Somebody has just taken this name."""

    constraints = frozenset({"runtime_person_username_key", "runtime_workspace_slug_key"})


def typed_rules() -> dict[str, type[RuleError]]:
    return {name: kind for kind in RuleError.__subclasses__() for name in kind.constraints}


@contextmanager
def rules_named() -> Iterator[None]:
    """Raise the error of the rule that a request met; a defect stays an IntegrityError."""
    try:
        yield
    except IntegrityError as error:
        kind = typed_rules().get(broken_rule(error) or "")
        if kind is None:
            raise
        raise kind from error


def broken_rule(error: Exception) -> str | None:
    """Name the constraint or trigger; where it has no name, say what it says."""
    cause = error.__cause__
    if not isinstance(cause, Error):
        return None
    return cause.diag.constraint_name or cause.diag.message_primary
