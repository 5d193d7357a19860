"""Requests that drip, swell or are none: answered in the contract's form, and nobody else waits."""

from __future__ import annotations

import json
import socket
from contextlib import ExitStack, closing

import pytest

# More than the web process has threads for requests.
MANY = 40


@pytest.fixture
def connect(stack):
    """Opens a connection and sends bytes as they are."""
    with ExitStack() as opened:

        def open_one(*sent: bytes) -> socket.socket:
            client = socket.create_connection(("127.0.0.1", stack.port), timeout=15)
            opened.enter_context(closing(client))
            for each in sent:
                client.sendall(each)
            return client

        yield open_one


def head(path="/api/v1/runs", *more: str) -> bytes:
    lines = [f"POST {path} HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json", *more]
    return "".join(f"{line}\r\n" for line in lines).encode()


def answer(client: socket.socket) -> tuple[int, str]:
    """Status and code of what comes back."""
    received = b""
    while chunk := client.recv(65536):
        received += chunk
    top, _, body = received.partition(b"\r\n\r\n")
    return int(top.split()[1]), json.loads(body)["code"]


def test_bodies_that_drip_hold_up_nobody_else(stack, connect):
    for _ in range(MANY):
        connect(head("/api/v1/runs", "Content-Length: 100"), b"\r\n{")

    assert stack.api("agent").start_run("an order")["status"] == "running"


def test_a_long_address_holds_up_nobody_else(stack, connect):
    client = connect(
        head("/api/v1/runs/" + "x" * 15_000, "Content-Length: 0", "Connection: close"), b"\r\n"
    )

    assert answer(client) == (401, "unauthenticated")
    assert stack.api("agent").start_run("an order")["status"] == "running"


def test_a_body_without_end_is_refused_long_before_it(stack, connect):
    token = f"Authorization: Bearer {stack.tokens['agent']}"
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"

    client = connect(head("/api/v1/runs", "Transfer-Encoding: chunked", token), b"\r\n")
    client.sendall(chunk * 16)

    assert answer(client) == (413, "too_large")


@pytest.mark.parametrize(
    "sent",
    [
        # Not yet at their end, and too long already.
        head("/api/v1/runs", "X-Long: " + "x" * 20_000),
        head("/api/v1/runs", *(f"X-{number}: {'x' * 1000}" for number in range(20))),
        head("/api/v1/runs/" + "x" * 20_000),
        b"NONSENSE\r\n\r\n",
        b"POST /api/v1/runs HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    ],
    ids=["a long header", "many headers", "a long path", "nonsense", "less than nothing", "TLS"],
)
def test_what_is_no_request_is_malformed(stack, connect, sent):
    assert answer(connect(sent)) == (400, "malformed")
