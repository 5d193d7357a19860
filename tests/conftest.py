from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.sampling import (  # noqa: F401 - hooks
    pytest_addoption,
    pytest_collection_modifyitems,
    pytest_report_header,
)
from tests.servers import start_servers
from tests.spreading import (  # noqa: F401 - hooks
    pytest_xdist_auto_num_workers,
    pytest_xdist_make_scheduler,
)
from tests.stack import Stack, running_stack


def pytest_configure(config: pytest.Config) -> None:
    start_servers(config)


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    """The whole thing, without tickets. Whoever stops or kills it starts it again.

    No webhook tells it at once what the cases about looking up have to find out by themselves.
    """
    with running_stack("--no-tickets") as stack:
        stack.sandbox.webhooks("off")
        yield stack
