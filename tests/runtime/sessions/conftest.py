from __future__ import annotations

import pytest

from tests.factories import make_world
from tests.runtime.sessions.lab import Lab


@pytest.fixture
def lab(db) -> Lab:
    return Lab(make_world())
