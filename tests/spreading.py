"""Spread a whole run over two processes; a run of chosen files stays in one."""

from __future__ import annotations

import pytest
from xdist.scheduler import LoadScopeScheduling

WORKERS = 2
# What is played on the one stack, and in the one browser.
SHARED = "tests/scenarios/"


class ByFile(LoadScopeScheduling):
    """Files stay whole, for their tests share fixtures; what shares the stack is one file."""

    def _split_scope(self, nodeid: str) -> str:
        return SHARED if nodeid.startswith(SHARED) else nodeid.partition("::")[0]


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Starting a worker and making its database takes longer than most files."""
    everything = config.getini("testpaths")
    return WORKERS if list(config.args) == list(everything) else 0


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> ByFile:
    return ByFile(config, log)
