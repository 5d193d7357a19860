from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.scenarios.browser.chromium import MISSING, installed, is_required, running_browser
from tests.scenarios.browser.tabs import Visits
from tests.scenarios.refunds import Desk
from tests.stack import ROOT, Stack, environment


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not installed():
        terminalreporter.write_line(MISSING, yellow=True)


# Ended with this folder: what still ran would look like an event loop to every later test.
@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    if not installed():
        (pytest.fail if is_required() else pytest.skip)(MISSING)
    with running_browser() as browser:
        yield browser


@pytest.fixture(scope="package")
def sessions() -> dict[str, Any]:
    """What a browser keeps of each person's sign-in."""
    return {}


@pytest.fixture
def visit(chromium: Browser, stack: Stack, sessions: dict[str, Any]) -> Iterator[Visits]:
    """Open tabs; a complaint of theirs that the test has not cleared away fails it."""
    visits = Visits(chromium, stack, sessions)
    yield visits
    for context in visits.contexts:
        context.close()
    assert visits.complaints == []


@pytest.fixture
def desk(stack: Stack) -> Desk:
    return Desk(stack)


@pytest.fixture
def agent(stack: Stack) -> Iterator[None]:
    """The demo's own agent at its desk, which this stack is started without."""
    (stack.data_dir / "tickets" / "done").mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "console.demo.tickets", "--data", str(stack.data_dir)]
    process = subprocess.Popen(command, cwd=ROOT, env=environment(), stdout=subprocess.DEVNULL)
    yield
    process.kill()
    process.wait()
