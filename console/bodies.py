"""Take a request's body in before it costs a thread: so many bytes, within so many seconds."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, Final

from console.api.parsing import MOST_BYTES, too_large
from console.api.problems import MEDIA_TYPE, body_of, refusal
from runtime.commands import Refusal

AsgiApplication = Callable[[Any, Any, Any], Awaitable[None]]
WITHIN_S: Final = 30.0
TOO_SLOW: Final = refusal(408, "request_timeout", f"The body did not come within {WITHIN_S:g} s.")


class WholeBodies:
    """Hands requests on with their whole body; one that drips or never ends goes no further.

    The API learns of a body that is too large by one byte more than it takes, so that it
    refuses in its own order; a form cut short could be taken for another form.
    """

    def __init__(self, application: AsgiApplication, *, within_s: float = WITHIN_S) -> None:
        self.application = application
        self.within_s = within_s

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI
        try:
            async with asyncio.timeout(self.within_s):
                body = await _read(receive)
        except TimeoutError:
            await _refuse(send, TOO_SLOW)
            return
        if body is None:
            return
        if len(body) > MOST_BYTES and not scope["path"].startswith("/api/"):
            await _refuse(send, too_large(MOST_BYTES))
            return
        await self.application(scope, _once(body, receive), send)


async def _read(receive: Any) -> bytes | None:  # noqa: ANN401 - ASGI
    """Answer the body, or its beginning where it is too large; None: the client has left."""
    body = bytearray()
    while len(body) <= MOST_BYTES:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        body += message.get("body", b"")
        if not message.get("more_body", False):
            break
    return bytes(body[: MOST_BYTES + 1])


def _once(body: bytes, receive: Any) -> Callable[[], Awaitable[Any]]:  # noqa: ANN401 - ASGI
    whole = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def receive_whole() -> Any:  # noqa: ANN401 - ASGI
        message = next(whole, None)
        return await _left(receive) if message is None else message

    return receive_whole


async def _left(receive: Any) -> Any:  # noqa: ANN401 - ASGI
    """What is left of a body that was too large is nobody's."""
    while (message := await receive())["type"] != "http.disconnect":
        pass
    return message


async def _refuse(send: Any, refused: Refusal) -> None:  # noqa: ANN401 - ASGI
    headers = [(b"content-type", MEDIA_TYPE.encode()), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": refused.http_status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(body_of(refused)).encode()})
