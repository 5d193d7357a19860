"""A socket to the real application, as a browser or a program opens it."""

from __future__ import annotations

import json
from typing import Any

from asgiref.testing import ApplicationCommunicator

from console.asgi import application
from console.live.threads import in_thread
from tests.console.browser import Browser

HOST = "localhost"


class Wire:
    """`frames` holds the last fragment of each target, in the order they came."""

    def __init__(self, address: str, headers: dict[str, str]) -> None:
        path, _, query = address.partition("?")
        scope = {
            "type": "websocket",
            "path": path,
            "query_string": query.encode(),
            "headers": [
                (name.encode(), value.encode()) for name, value in {"host": HOST, **headers}.items()
            ],
        }
        self.socket = ApplicationCommunicator(application, scope)
        self.frames: dict[str, dict[str, Any]] = {}
        self.messages: list[dict[str, Any]] = []

    async def open(self) -> Wire:
        await self.socket.send_input({"type": "websocket.connect"})
        answer = await self.socket.receive_output(10)
        assert answer["type"] == "websocket.accept"
        return self

    async def next(self) -> dict[str, Any]:
        """The next message; `{"type": "websocket.close", "code": …}` at the end."""
        answer: dict[str, Any] = await self.socket.receive_output(10)
        if answer["type"] == "websocket.close":
            return answer
        message: dict[str, Any] = json.loads(answer["text"])
        self.messages.append(message)
        if message["kind"] == "fragment":
            self.frames[message["target"]] = message
        return message

    async def settle(self, quiet: float = 0.8) -> dict[str, dict[str, Any]]:
        """Read until nothing more comes."""
        await self.next()
        while not await self.socket.receive_nothing(timeout=quiet, interval=0.05):
            await self.next()
        return self.frames

    async def close(self) -> None:
        await self.socket.send_input({"type": "websocket.disconnect", "code": 1000})
        await self.socket.wait(10)


async def watch(browser: Browser, path: str, **headers: str) -> Wire:
    cookies = "; ".join(f"{name}={one.value}" for name, one in browser.client.cookies.items())
    wire = Wire(path, {"cookie": cookies, "origin": f"http://{HOST}", **headers})
    return await wire.open()


async def opened(browser: Browser, address: str) -> str:
    """The page as it is now."""
    page = await in_thread(browser.open, address)
    return page.html
