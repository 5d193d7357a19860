from __future__ import annotations

import pytest

from tests.factories import World, make_world


@pytest.fixture
def world(db) -> World:
    return make_world()
