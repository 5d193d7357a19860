"""What the stack has stored, read by the project's own code: the log against the rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

import dj_database_url
from django.db import connections, transaction
from django.db.utils import load_backend

from approvals.folding import approval_differences
from runtime.event_log import Cause, lock_run
from runtime.folding import run_differences
from runtime.models import Run
from runtime.verify import log_differences
from tests.stack import Stack


@contextmanager
def stored_in(stack: Stack) -> Iterator[None]:
    """Let the models read the stack's database instead of the tests' own."""
    given = dict(dj_database_url.parse(stack.database_url))
    databases = connections.configure_settings({"default": given})
    backend = load_backend(databases["default"]["ENGINE"])
    ours, theirs = connections["default"], backend.DatabaseWrapper(databases["default"])
    connections["default"] = theirs
    try:
        yield
    finally:
        connections["default"] = ours
        theirs.close()


def heads() -> dict[UUID, int]:
    """How long the log of each run is."""
    return dict(Run.objects.values_list("pk", "head"))


def every_difference(run_id: UUID) -> list[str]:
    """Whatever is wrong with a run's chain, its rows or its approvals' rows."""
    with transaction.atomic():
        # Writers wait, so that log and rows are of one moment.
        lock_run(run_id, cause=Cause(producer="test"))
        found = [*log_differences(run_id), *run_differences(run_id)]
        return [*found, *approval_differences(run_id)]
