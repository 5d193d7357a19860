"""Spread a whole run over two processes; a run of chosen files stays in one."""

from __future__ import annotations

from pathlib import Path

import pytest

WORKERS = 2


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Starting a worker and making its database takes longer than most files."""
    everything = config.getini("testpaths")
    return WORKERS if list(config.args) == list(everything) else 0


@pytest.hookimpl(tryfirst=True)
def pytest_itemcollected(item: pytest.Item) -> None:
    """Keep what shares a fixture together: a file, and everything that is played on the stack."""
    on_stack = "stack" in getattr(item, "fixturenames", ())
    group = "stack" if on_stack else str(Path(item.path).relative_to(item.config.rootpath))
    item.add_marker(pytest.mark.xdist_group(group))
