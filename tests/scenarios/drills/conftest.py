from __future__ import annotations

from collections.abc import Callable, Iterator
from uuid import UUID

import pytest

from tests.scenarios.drills.stored import every_difference, heads, stored_in
from tests.scenarios.refunds import Desk
from tests.stack import Stack


@pytest.fixture(scope="session")
def checked() -> dict[UUID, int]:
    """How far each run's log has been compared with its rows."""
    return {}


@pytest.fixture(scope="session")
def desk(stack: Stack) -> Desk:
    return Desk(stack)


@pytest.fixture
def webhooks(desk: Desk) -> Iterator[Callable[[str], None]]:
    """Sets how unruly the provider's webhooks are, and sets it back."""
    yield desk.stack.sandbox.webhooks
    desk.stack.sandbox.webhooks("off")


@pytest.fixture(autouse=True)
def _log_tells_the_rows(desk: Desk, checked: dict[UUID, int], django_db_blocker) -> Iterator[None]:
    """Whatever a case did, afterwards the log of every run it moved folds to its rows (L2)."""
    yield
    with django_db_blocker.unblock(), stored_in(desk.stack):
        moved = {run: head for run, head in heads().items() if checked.get(run) != head}
        found = [each for run in moved for each in every_difference(run)]
    checked.update(moved)
    assert found == []
