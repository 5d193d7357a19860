"""After any test the log of every run folds to its rows (L2), and its chain is whole."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

import pytest
from django.db import connection, transaction

from approvals.folding import approval_differences
from runtime.event_log import Cause, lock_run
from runtime.folding import run_differences
from runtime.models import Run
from runtime.verify import log_differences

DATABASE = ("transactional_db", "db")
# Runs whose rows a test made other than their log says, such as by moving a deadline.
altered_on_purpose: set[UUID] = set()


@pytest.fixture(autouse=True)
def _log_tells_the_rows(request: pytest.FixtureRequest) -> Iterator[None]:
    """Whatever a test did to its runs, but for those it altered on purpose."""
    asked = [fixture for fixture in DATABASE if fixture in request.fixturenames]
    for fixture in asked:
        # Set up before this one, it is there still when this one looks.
        request.getfixturevalue(fixture)
    yield
    uses_database = asked or request.node.get_closest_marker("django_db")
    # A transaction that broke leaves nothing to look at.
    if not uses_database or connection.needs_rollback:
        return
    found = differences_since({})
    if "_made_up_gate" in request.fixturenames:
        # It grants what no approval stands for.
        found = [each for each in found if not each.startswith("approval ")]
    if found:
        pytest.fail("\n".join(found))


def differences_since(checked: dict[UUID, int]) -> list[str]:
    """Name whatever is wrong with the runs that moved since, and note how far they have come."""
    heads = dict(Run.objects.values_list("pk", "head"))
    moved = {run: head for run, head in heads.items() if checked.get(run) != head}
    found = [each for run in moved.keys() - altered_on_purpose for each in every_difference(run)]
    checked.update(moved)
    return found


def every_difference(run_id: UUID) -> list[str]:
    """Whatever is wrong with a run's chain, its rows or its approvals' rows."""
    with transaction.atomic():
        # Writers wait, so that log and rows are of one moment.
        lock_run(run_id, cause=Cause(producer="test"))
        found = [*log_differences(run_id), *run_differences(run_id)]
        return [*found, *approval_differences(run_id)]
