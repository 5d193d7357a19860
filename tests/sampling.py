"""Run a random sample of the tests marked `drill`, or of everything asked for."""

from __future__ import annotations

import os
import random

import pytest

SAMPLE = 6


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("drills")
    group.addoption("--drills", default=str(SAMPLE), help="how many drills to run, or `all`")
    group.addoption("--sample", type=int, help="how many tests to run of all that are left")
    more = "approvals under which the database is stopped; a thousand are the whole of E15"
    group.addoption("--cycles", type=int, default=40, help=more)
    # By the environment every process of a run has the same one.
    seed = os.environ.setdefault("DRILL_SEED", str(random.randrange(1_000_000)))  # noqa: S311
    group.addoption("--drill-seed", type=int, default=seed, help="choose as an earlier run did")


def pytest_report_header(config: pytest.Config) -> str:
    return f"drills: {config.option.drills}, --drill-seed {config.option.drill_seed}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    chooser = random.Random(config.option.drill_seed)  # noqa: S311 - the same seed, the same choice
    left_out: set[pytest.Item] = set()
    if config.option.drills != "all":
        drills = [item for item in items if item.get_closest_marker("drill")]
        left_out |= _left_out(drills, int(config.option.drills), chooser)
    if config.option.sample is not None:
        left = [item for item in items if item not in left_out]
        left_out |= _left_out(left, config.option.sample, chooser)
    config.hook.pytest_deselected(items=[item for item in items if item in left_out])
    items[:] = [item for item in items if item not in left_out]


def _left_out(items: list[pytest.Item], many: int, chooser: random.Random) -> set[pytest.Item]:
    return set(items) - set(chooser.sample(items, min(many, len(items))))
