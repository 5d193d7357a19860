"""Long polls through the real application: news at once, when it comes, or not at all."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from approvals.access import revoke_token
from console.live import waiting
from console.live.hub import hub
from console.live.notices import member_moved
from console.live.threads import in_thread
from console.live.waiting import Waiting, Wish, wish_of
from tests.factories import make_call

RUN = "01900000-0000-7000-8000-000000000001"
PATH = "/api/v1/tool-calls/01900000-0000-7000-8000-000000000002"


def scope(query, method="GET", path=PATH):
    return {"type": "http", "method": method, "path": path, "query_string": query.encode()}


def application(positions, status=200):
    """An application that answers one position after another, and the last one for ever."""
    left = list(positions)

    async def answer(_scope, receive, send):
        assert (await receive())["type"] == "http.request"
        position = left.pop(0) if len(left) > 1 else left[0]
        body = json.dumps({"run": RUN, "position": position}).encode()
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": body})

    return answer


def program(secret, path, looks):
    """The real views, as a program with this token meets them; `looks` is told each status."""

    async def answer(_scope, receive, send):
        assert (await receive())["type"] == "http.request"
        found = await in_thread(Client().get, path, headers={"authorization": f"Bearer {secret}"})
        await send({"type": "http.response.start", "status": found.status_code, "headers": []})
        await send({"type": "http.response.body", "body": found.content})
        looks.put_nowait(found.status_code)

    return answer


async def poll(app, query, sent):
    async def receive():
        return await asyncio.Future()

    async def send(message):
        sent.append(message)

    await Waiting(app)(scope(query), receive, send)


async def ask(app, query):
    sent: list[dict[str, Any]] = []
    await poll(app, query, sent)
    return json.loads(sent[1]["body"])["position"]


@pytest.mark.parametrize(
    ("asked", "wish"),
    [
        (scope("wait=20&after=7"), Wish(wait_s=20, after=7)),
        (scope("wait=20"), None),
        (scope("after=7"), None),
        (scope("wait=61&after=7"), None),
        (scope("wait=0&after=7"), None),
        (scope("wait=soon&after=7"), None),
        (scope("wait=20&after=7", method="POST"), None),
        (scope("wait=20&after=7", path="/api/v1/runs"), None),
        (scope("wait=20&after=7", path="/api/v1/events"), Wish(wait_s=20, after=7)),
        (scope("wait=20&after=7", path=f"/api/v1/runs/{RUN}/events"), None),
    ],
)
def test_only_a_well_formed_wish_on_one_call_or_approval_is_waited_for(asked, wish):
    assert wish_of(asked) == wish


async def test_what_is_newer_already_is_answered_at_once():
    assert await asyncio.wait_for(ask(application([8]), "wait=20&after=7"), 2) == 8


async def test_what_becomes_news_between_the_look_and_the_listening_is_not_missed():
    assert await asyncio.wait_for(ask(application([7, 8]), "wait=20&after=7"), 2) == 8


async def test_what_does_not_move_is_answered_as_it_stands():
    assert await ask(application([7]), "wait=1&after=7") == 7


def pages(*answers):
    """A feed that answers one page after another: what is on it, its `next`, its `head`."""
    left = list(answers)
    looks: asyncio.Queue[int] = asyncio.Queue()

    async def answer(_scope, receive, send):
        assert (await receive())["type"] == "http.request"
        events, following, head = left.pop(0)
        body = {"feed": RUN, "events": events, "next": following, "head": head}
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": json.dumps(body).encode()})
        looks.put_nowait(len(left))

    return answer, looks


@pytest.mark.parametrize("page", [([{"pos": 8}], 8, 8), ([], 10_007, 20_000)])
async def test_a_feed_that_has_more_is_answered_at_once(page):
    app, looks = pages(page)

    await asyncio.wait_for(poll(app, "wait=20&after=7", []), 2)

    assert looks.get_nowait() == 0


async def test_a_feed_that_is_waited_for_is_read_again_when_a_run_of_its_workspace_moves():
    app, looks = pages(([], 7, 7), ([], 7, 7), ([{"pos": 8}], 8, 8))
    sent: list[dict[str, Any]] = []
    asking = asyncio.create_task(poll(app, "wait=20&after=7", sent))
    assert [await looks.get() for _ in range(2)] == [2, 1]

    hub().hear({"type": "run.moved", "workspace": RUN, "run": str(uuid4()), "position": 3})
    await asyncio.wait_for(asking, 2)

    assert json.loads(sent[1]["body"])["events"] == [{"pos": 8}]


async def test_somebody_who_hangs_up_is_not_waited_for():
    sent = []

    async def receive():
        return {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    await asyncio.wait_for(Waiting(application([7]))(scope("wait=20&after=7"), receive, send), 2)

    assert sent == []


async def test_a_token_that_is_revoked_ends_its_wait(world, monkeypatch):
    monkeypatch.setattr(waiting, "LOOK_S", 60)
    call = await in_thread(make_call, world)
    looks: asyncio.Queue[int] = asyncio.Queue()
    sent: list[dict[str, Any]] = []
    polls = program(world.secret, f"/api/v1/tool-calls/{call.pk}", looks)
    asking = asyncio.create_task(poll(polls, "wait=60&after=1000000", sent))
    before = [await looks.get() for _ in range(2)]

    await in_thread(revoke_token, world.token)
    member_moved(world.token.person_id)
    await asyncio.wait_for(asking, 10)

    assert (before, sent[0]["status"]) == ([200, 200], 401)
