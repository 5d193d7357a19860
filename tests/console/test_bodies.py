from __future__ import annotations

import asyncio
import json

import pytest

from console.bodies import WholeBodies

MOST = 1_000_000


async def echo(scope, receive, send):
    """Answers how much of a body it was given, in how many pieces."""
    message = await receive()
    body = f"{len(message['body'])} {message['more_body']}".encode()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body})


async def ask(path, messages, *, within_s=5.0):
    """Status and body of the answer to these pieces; after the last one nothing comes."""
    sent = []
    left = iter(messages)

    async def receive():
        message = next(left, None)
        return await asyncio.Future() if message is None else message

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": path, "query_string": b""}
    await WholeBodies(echo, within_s=within_s)(scope, receive, send)
    return [(start["status"], rest["body"]) for start, rest in zip(*[iter(sent)] * 2, strict=True)]


def piece(size, *, more):
    return {"type": "http.request", "body": b"x" * size, "more_body": more}


@pytest.mark.parametrize("path", ["/api/v1/runs", "/w/demo/"])
async def test_a_body_arrives_in_one_piece(path):
    pieces = [piece(MOST // 2, more=True), piece(MOST // 2, more=False)]

    assert await ask(path, pieces) == [(200, b"1000000 False")]


async def test_the_api_is_told_of_a_body_that_is_too_large_by_one_byte_more():
    pieces = [piece(MOST, more=True), piece(MOST, more=True)]

    assert await ask("/api/v1/runs", pieces) == [(200, b"1000001 False")]


async def test_a_form_that_is_too_large_is_never_cut_short():
    ((status, body),) = await ask("/w/demo/", [piece(MOST + 1, more=False)])

    assert (status, json.loads(body)["code"]) == (413, "too_large")


@pytest.mark.parametrize("path", ["/api/v1/runs", "/w/demo/"])
async def test_a_body_that_drips_is_not_waited_for(path):
    ((status, body),) = await ask(path, [piece(1, more=True)], within_s=0.05)

    assert (status, json.loads(body)["code"]) == (408, "request_timeout")


async def test_whoever_leaves_before_the_end_is_answered_nothing():
    pieces = [piece(1, more=True), {"type": "http.disconnect"}]

    assert await ask("/api/v1/runs", pieces) == []
