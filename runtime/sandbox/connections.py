"""Answers that break off: the TCP connection really closes, as it would on a bad day."""

from __future__ import annotations

import asyncio
from typing import cast

from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol


class BreakableProtocol(H11Protocol):
    """Hands its transport to the application: ASGI itself knows no way to hang up."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.app_state = {**self.app_state, "transport": transport}


def transport_of(scope: Scope) -> asyncio.Transport:
    return cast("asyncio.Transport", scope["state"]["transport"])


async def _until_closed(receive: Receive) -> None:
    """Wait for the server to notice; before that it would still try to answer 500."""
    while (await receive())["type"] != "http.disconnect":
        pass


class HangUp(Response):
    """No answer at all."""

    async def __call__(self, scope: Scope, receive: Receive, _send: Send) -> None:
        transport_of(scope).abort()
        await _until_closed(receive)


class Truncated(Response):
    """All the headers, half of the body they promise."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = {"status": self.status_code, "headers": self.raw_headers}
        await send({"type": "http.response.start", **start})
        half = bytes(self.body[: len(self.body) // 2])
        await send({"type": "http.response.body", "body": half, "more_body": True})
        transport_of(scope).close()
        await _until_closed(receive)
