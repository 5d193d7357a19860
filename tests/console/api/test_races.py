"""What only shows with real transactions, and with bodies that arrive as a stream."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import httpx
import pytest
from django.core.asgi import get_asgi_application
from django.db import connection, connections

from runtime.models import Event, Receipt, RequestKey, Run
from tests.console.api.client import V1, Program
from tests.console.api.conftest import Place
from tests.console.api.requests import run_body, start

pytestmark = pytest.mark.django_db(transaction=True)
AT_ONCE = 4


def at_once(*requests):
    """Send requests so that each has begun before any has ended."""
    barrier = Barrier(len(requests))

    def send(request):
        barrier.wait()
        try:
            return request()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(requests)) as threads:
        return list(threads.map(send, requests))


def test_the_same_request_key_at_once_starts_one_run():
    secret = Place("here").token("agent")

    answers = at_once(
        *[lambda: Program(secret).post("/runs", run_body(), Idempotency_Key="k")] * AT_ONCE
    )

    assert sorted(answer.status_code for answer in answers) == [200, 200, 200, 201]
    assert {answer.json()["id"] for answer in answers} == {str(Run.objects.get().pk)}
    assert RequestKey.objects.count() == 1


def test_the_same_command_at_once_is_carried_out_once():
    place = Place("here")
    secret, run = place.token("reviewer"), start(place.agent)
    before = Event.objects.count()
    command = {"command_id": "c", "kind": "stop"}

    answers = at_once(*[lambda: Program(secret).post(f"/runs/{run}/commands", command)] * AT_ONCE)

    assert [answer.status_code for answer in answers] == [200] * AT_ONCE
    assert sorted(answer.json()["replayed"] for answer in answers) == [False, True, True, True]
    assert Receipt.objects.count() == 1
    assert Event.objects.count() == before + 2


def test_the_same_command_id_at_once_on_two_runs_applies_to_one():
    place = Place("here")
    secret, runs = place.token("agent"), [start(place.agent), start(place.agent)]
    command = {"command_id": "c", "kind": "finish"}

    answers = at_once(
        lambda: Program(secret).post(f"/runs/{runs[0]}/commands", command),
        lambda: Program(secret).post(f"/runs/{runs[1]}/commands", command),
    )

    assert sorted(answer.status_code for answer in answers) == [200, 422]
    assert Run.objects.filter(ended_as="completed").count() == 1


async def streamed(secret: str, chunks: list[bytes]) -> httpx.Response:
    """Post without a Content-Length, as a client does that does not know it yet."""

    async def body():
        for chunk in chunks:
            yield chunk

    application: Any = get_asgi_application()
    transport = httpx.ASGITransport(app=application)
    headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        return await client.post(f"{V1}/runs", content=body(), headers=headers)


def test_a_body_without_a_content_length_is_read_and_measured_all_the_same(monkeypatch):
    # Each request has a thread of its own here, whose connection must end with it.
    monkeypatch.setitem(connections.settings["default"], "CONN_MAX_AGE", 0)
    secret = Place("here").token("agent")
    raw = json.dumps(run_body()).encode()

    read = asyncio.run(streamed(secret, [raw[:20], raw[20:]]))
    refused = asyncio.run(streamed(secret, [raw[:-1], b" " * 600_000, b" " * 600_000, b"}"]))

    assert read.status_code == 201
    assert (refused.status_code, refused.json()["code"]) == (413, "too_large")
    assert Run.objects.count() == 1
