from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest

from tests.scenarios.stored import differences_in
from tests.stack import Stack


@pytest.fixture(scope="session")
def checked() -> dict[UUID, int]:
    """How far each run's log has been compared with its rows."""
    return {}


@pytest.fixture(autouse=True)
def _log_tells_the_rows(
    request: pytest.FixtureRequest, checked: dict[UUID, int], django_db_blocker
) -> Iterator[None]:
    """Whatever a case did, afterwards the log of every run it moved folds to its rows (L2)."""
    if "stack" not in request.fixturenames:
        yield
        return
    stack: Stack = request.getfixturevalue("stack")
    yield
    # Where a browser is driven, this thread looks like an event loop.
    with django_db_blocker.unblock(), ThreadPoolExecutor(1) as pool:
        found = pool.submit(differences_in, stack, checked).result()
    if found:
        pytest.fail("\n".join(found))
