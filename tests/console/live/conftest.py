from __future__ import annotations

import threading

import pytest
from channels.layers import get_channel_layer
from django.db import connections

from console.live.hub import hub
from console.live.threads import _threads
from tests.console.conftest import with_passwords
from tests.factories import make_world


@pytest.fixture
def world(transactional_db):
    return with_passwords(make_world())


@pytest.fixture(autouse=True)
async def nothing_left_open():
    """Whatever a test opened is closed with it: tasks, subscriptions, database connections."""
    yield
    assert hub().rooms == {}
    await get_channel_layer().flush()
    both = threading.Barrier(2)
    for done in [_threads.submit(_close, both) for _ in range(2)]:
        done.result(10)


def _close(both: threading.Barrier) -> None:
    both.wait(10)
    connections.close_all()
