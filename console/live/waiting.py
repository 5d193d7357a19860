"""Long polls: hold a question back until its answer is news, without holding a thread."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qs
from uuid import UUID

from console.live.hub import hub

AsgiApplication = Callable[[Any, Any, Any], Awaitable[None]]
WAITED_FOR: Final = re.compile(r"/api/v1/((tool-calls|approvals)/[0-9a-f-]{36}|events)$")
LONGEST_S: Final = 60
# Rings get lost: look again by oneself at least so often.
LOOK_S: Final = 5.0


@dataclass(slots=True, kw_only=True)
class Answer:
    """One whole answer of the application, kept until it is known to be worth sending."""

    messages: list[Any] = field(default_factory=list)

    async def send(self, message: Any) -> None:  # noqa: ANN401 - ASGI
        self.messages.append(message)

    def what_to_wait_for(self, position: int) -> UUID | None:
        """The run, or the feed, to wait for; None where this answer is one to send."""
        if self.messages[0]["status"] != 200:  # noqa: PLR2004
            return None
        body = json.loads(b"".join(each.get("body", b"") for each in self.messages[1:]))
        if "feed" in body:
            is_news = body["events"] or body["next"] < body["head"]
            return None if is_news else UUID(body["feed"])
        return None if body["position"] > position else UUID(body["run"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """`?wait=` seconds for something newer than position `?after=`."""

    wait_s: int
    after: int


class Waiting:
    """Answers a GET with `?wait=` at once if it is news, when it is, or as it stands in the end.

    The view itself answers each time, so rights are asked for again with every look.
    """

    def __init__(self, application: AsgiApplication) -> None:
        self.application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI
        wish = wish_of(scope)
        if wish is None:
            await self.application(scope, receive, send)
            return
        asking = asyncio.create_task(self._news(scope, wish))
        leaving = asyncio.create_task(_left(receive))
        await asyncio.wait({asking, leaving}, return_when=asyncio.FIRST_COMPLETED)
        leaving.cancel()
        if not asking.done():
            asking.cancel()
            return
        for message in asking.result().messages:
            await send(message)

    async def _news(self, scope: Any, wish: Wish) -> Answer:  # noqa: ANN401 - ASGI
        loop = asyncio.get_running_loop()
        deadline = loop.time() + wish.wait_s
        bell: asyncio.Event | None = None
        with ExitStack() as stack:
            while True:
                answer = await self._ask(scope)
                moves = answer.what_to_wait_for(wish.after)
                left_s = deadline - loop.time()
                if moves is None or left_s <= 0:
                    return answer
                if bell is None:
                    # Listen first, then look again: nothing falls in between.
                    bell = stack.enter_context(hub().listening(moves))
                    continue
                await _rung(bell, min(left_s, LOOK_S))

    async def _ask(self, scope: Any) -> Answer:  # noqa: ANN401 - ASGI
        answer = Answer()
        asked = iter([{"type": "http.request", "body": b"", "more_body": False}])

        async def receive() -> Any:  # noqa: ANN401 - ASGI
            for message in asked:
                return message
            return await asyncio.Future[Any]()

        await self.application(scope, receive, answer.send)
        return answer


def wish_of(scope: Any) -> Wish | None:  # noqa: ANN401 - ASGI
    """What a request waits for; None where it waits for nothing, or asks for it wrongly."""
    if scope["method"] != "GET" or not WAITED_FOR.search(scope["path"]):
        return None
    query = parse_qs(scope["query_string"].decode("latin-1"))
    try:
        wait_s = int(query["wait"][0])
        after = int(query["after"][0])
    except (KeyError, ValueError):
        return None
    return Wish(wait_s=wait_s, after=after) if 0 < wait_s <= LONGEST_S else None


async def _rung(bell: asyncio.Event, within_s: float) -> None:
    try:
        await asyncio.wait_for(bell.wait(), within_s)
    except TimeoutError:
        return
    bell.clear()


async def _left(receive: Any) -> None:  # noqa: ANN401 - ASGI
    while (await receive())["type"] != "http.disconnect":
        pass
