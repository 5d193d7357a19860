from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.scenarios.refunds import Desk
from tests.stack import Stack


@pytest.fixture(scope="session")
def desk(stack: Stack) -> Desk:
    return Desk(stack)


@pytest.fixture
def cycles(request: pytest.FixtureRequest) -> int:
    asked: int = request.config.option.cycles
    return asked


@pytest.fixture
def webhooks(desk: Desk) -> Iterator[Callable[[str], None]]:
    """Sets how unruly the provider's webhooks are, and sets it back."""
    yield desk.stack.sandbox.webhooks
    desk.stack.sandbox.webhooks("off")
