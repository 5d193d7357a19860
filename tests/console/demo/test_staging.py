from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from console.demo.desk import Desk
from console.demo.staging import Stage
from tests.sandbox_client import Sandbox


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory) -> Iterator[Sandbox]:
    with Sandbox(tmp_path_factory.mktemp("sandbox")) as sandbox:
        yield sandbox


@pytest.fixture
def stage(sandbox):
    return Stage(url=sandbox.url, token=sandbox.token)


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path)


def payment(sandbox, payment_id):
    found = httpx.get(
        f"{sandbox.url}/v1/payment_intents/{payment_id}",
        headers={"Authorization": f"Bearer {sandbox.api_key}"},
        trust_env=False,
    )
    return found.raise_for_status().json()


def refund(sandbox, payment_id, intent):
    return httpx.post(
        f"{sandbox.url}/v1/refunds",
        data={"payment_intent": payment_id, "amount": "100", "metadata[intent]": intent},
        headers={"Authorization": f"Bearer {sandbox.api_key}"},
        trust_env=False,
    )


def test_a_ticket_is_about_a_payment_that_exists_at_the_sandbox(sandbox, stage, desk):
    desk.open_ticket("yen")

    ticket = stage.prepare(desk, desk.waiting()[0])

    made = payment(sandbox, ticket["payment"])
    assert (made["amount"], made["currency"]) == (12400, "jpy")
    assert made["metadata"] == {"order_id": ticket["order"]}


def test_a_ticket_begun_again_is_the_same_ticket(stage, desk):
    desk.open_ticket("plain")
    path = desk.waiting()[0]

    tickets = [stage.prepare(desk, path), stage.prepare(desk, path)]

    assert tickets[0] == tickets[1]


def test_the_lost_answer_is_lost_for_its_own_refund_alone(sandbox, stage, desk):
    desk.open_ticket("lost-answer")
    ticket = stage.prepare(desk, desk.waiting()[0])

    other = refund(sandbox, ticket["payment"], "T-1:refund-1")

    assert other.status_code == 200
    with pytest.raises(httpx.RemoteProtocolError):
        refund(sandbox, ticket["payment"], f"{ticket['ref']}:refund-1")
