from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import requests
import stripe

from tests.sandbox.receiver import Receiver
from tests.sandbox_client import Sandbox

CONNECTIONS = requests.Session()
CONNECTIONS.trust_env = False


@pytest.fixture(scope="session")
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.server.shutdown()
    receiver.server.server_close()


@pytest.fixture(scope="session")
def running(receiver, tmp_path_factory) -> Iterator[Sandbox]:
    with Sandbox(tmp_path_factory.mktemp("sandbox"), webhook_url=receiver.url) as sandbox:
        yield sandbox
    CONNECTIONS.close()


@pytest.fixture
def sandbox(running):
    """The shared process, with nothing left over from the test before."""
    running.control.clear_faults()
    running.control.webhooks("off")
    running.control.profile("key_and_lookup")
    return running


@pytest.fixture
def control(sandbox):
    return sandbox.control


@pytest.fixture
def sdk(sandbox):
    return make_sdk(sandbox)


@pytest.fixture(scope="session")
def raw(running) -> Iterator[httpx.Client]:
    """Says only what a test makes it say."""
    with httpx.Client(base_url=running.url, trust_env=False) as client:
        yield client


@pytest.fixture(scope="session")
def wire(running) -> Iterator[httpx.Client]:
    """The provider without the SDK between: what really comes back."""
    headers = {"Authorization": f"Bearer {running.api_key}"}
    with httpx.Client(base_url=running.url, headers=headers, trust_env=False) as client:
        yield client


def make_sdk(sandbox: Sandbox, *, api_key: str = "", time_out_s: float = 5) -> Any:
    """Untyped on purpose: half of these tests send what the SDK's types forbid."""
    return stripe.StripeClient(
        api_key or sandbox.api_key,
        base_addresses={"api": sandbox.url},
        http_client=stripe.RequestsClient(timeout=time_out_s, session=CONNECTIONS),
        max_network_retries=0,
    )


def error_code(error: stripe.StripeError) -> str | None:
    """The code of a 409 or 429 stands in the body only: `error.code` stays None."""
    assert error.code is None
    return error.error.code if error.error else None
