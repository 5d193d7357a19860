"""Run a random sample of the tests marked `drill`, or all of them."""

from __future__ import annotations

import random

import pytest

SAMPLE = 6


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("drills")
    group.addoption("--drills", default=str(SAMPLE), help="how many drills to run, or `all`")
    seed = random.randrange(1_000_000)  # noqa: S311 - it protects nothing
    group.addoption("--drill-seed", type=int, default=seed, help="choose as an earlier run did")


def pytest_report_header(config: pytest.Config) -> str:
    return f"drills: {config.option.drills}, --drill-seed {config.option.drill_seed}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    drills = [item for item in items if item.get_closest_marker("drill")]
    if config.option.drills == "all" or len(drills) <= int(config.option.drills):
        return
    chooser = random.Random(config.option.drill_seed)  # noqa: S311 - the same seed, the same choice
    chosen = set(chooser.sample(drills, int(config.option.drills)))
    config.hook.pytest_deselected(items=[item for item in drills if item not in chosen])
    items[:] = [item for item in items if item in chosen or item not in drills]
