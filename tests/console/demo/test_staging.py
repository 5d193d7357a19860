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


def refunds_of(sandbox, payment_id):
    found = httpx.get(
        f"{sandbox.url}/v1/refunds",
        params={"payment_intent": payment_id},
        headers={"Authorization": f"Bearer {sandbox.api_key}"},
        trust_env=False,
    )
    return [(each["id"], each["amount"], each["status"]) for each in found.json()["data"]]


def test_a_payment_that_was_refunded_elsewhere_is_so_before_the_agent_begins(sandbox, stage, desk):
    desk.open_ticket("refunded-elsewhere")

    ticket = stage.prepare(desk, desk.waiting()[0])

    ((_, amount, status),) = refunds_of(sandbox, ticket["payment"])
    assert (amount, status) == (21000, "succeeded")
    assert "elsewhere" not in ticket


def test_a_refund_with_an_aftermath_is_taken_back_and_twice_is_as_once(
    sandbox, stage, desk, monkeypatch
):
    monkeypatch.setattr("time.sleep", lambda _: None)
    desk.open_ticket("late-failure")
    ticket = stage.prepare(desk, desk.waiting()[0])
    made = refund(sandbox, ticket["payment"], f"{ticket['ref']}:refund-1").json()["id"]

    for _ in range(2):
        stage.follow(ticket, [made])

    assert refunds_of(sandbox, ticket["payment"]) == [(made, 100, "failed")]


def test_a_refund_without_an_aftermath_stays_as_it_is(sandbox, stage, desk):
    desk.open_ticket("plain")
    ticket = stage.prepare(desk, desk.waiting()[0])
    made = refund(sandbox, ticket["payment"], f"{ticket['ref']}:refund-1").json()["id"]

    stage.follow(ticket, [made])

    assert refunds_of(sandbox, ticket["payment"]) == [(made, 100, "succeeded")]
