from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.runtime.execution.gates import ToldGate
from tests.runtime.execution.lab import Lab, make_lab
from tests.sandbox_client import Sandbox


@pytest.fixture(scope="session")
def running(tmp_path_factory) -> Iterator[Sandbox]:
    with Sandbox(tmp_path_factory.mktemp("execution-sandbox")) as sandbox:
        yield sandbox


@pytest.fixture(autouse=True)
def _made_up_gate(settings) -> None:
    settings.RUNTIME_GATE = "tests.runtime.execution.gates.OpenGate"


@pytest.fixture(autouse=True)
def _quick(settings) -> None:
    settings.PROVIDER_TIMEOUT_S = 1.0
    settings.ATTEMPT_LEASE_S = 5.0
    settings.SETTLE_DELAY_S = 0.1
    settings.FIRST_LOOK_S = 0.01


@pytest.fixture
def told_gate(settings, _made_up_gate) -> type[ToldGate]:
    settings.RUNTIME_GATE = "tests.runtime.execution.gates.ToldGate"
    ToldGate.admissions.clear()
    ToldGate.spendings.clear()
    return ToldGate


@pytest.fixture
def sandbox(running: Sandbox) -> Sandbox:
    running.control.clear_faults()
    running.control.webhooks("off")
    running.control.profile("key_and_lookup")
    return running


@pytest.fixture
def lab(db, sandbox) -> Lab:
    return make_lab(sandbox)
