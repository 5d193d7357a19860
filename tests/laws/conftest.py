from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.sandbox_client import Sandbox


@pytest.fixture(scope="session")
def running(tmp_path_factory) -> Iterator[Sandbox]:
    with Sandbox(tmp_path_factory.mktemp("laws-sandbox")) as sandbox:
        sandbox.control.webhooks("off")
        yield sandbox


@pytest.fixture
def sandbox(running: Sandbox, settings) -> Sandbox:
    settings.PROVIDER_TIMEOUT_S = 1.0
    settings.ATTEMPT_LEASE_S = 5.0
    settings.SETTLE_DELAY_S = 0.0
    settings.FIRST_LOOK_S = 0.01
    return running
