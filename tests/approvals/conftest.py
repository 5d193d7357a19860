from __future__ import annotations

import pytest

from tests.factories import World, make_world
from tests.folded import _log_tells_the_rows  # noqa: F401 - after each test


@pytest.fixture
def world(db) -> World:
    return make_world()
