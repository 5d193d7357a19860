from __future__ import annotations

import pytest

from tests.servers import start_servers


def pytest_configure(config: pytest.Config) -> None:
    start_servers(config)
