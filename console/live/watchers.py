"""One open socket, as the hub sees it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from uuid import UUID

from console.live.frames import Audience, Frame


class Watcher:
    """What still has to be sent to one socket: of each target, only the newest frame.

    However slow the reader, what waits for them never grows beyond what there is to see.
    """

    def __init__(self, audience: Audience, *, session: str | None = None) -> None:
        self.audience = audience
        self.session = session
        self.positions: dict[UUID, int] = {}
        self.closing: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self.doubted = asyncio.Event()
        self._waiting: dict[str, Frame] = {}
        self._news = asyncio.Event()

    def put(self, frames: Iterable[Frame]) -> None:
        for frame in frames:
            self._waiting[frame.target] = frame
            if frame.run is not None:
                self.positions[frame.run] = max(frame.position, self.positions.get(frame.run, 0))
        self._news.set()

    async def take(self) -> list[Frame]:
        await self._news.wait()
        self._news.clear()
        taken = list(self._waiting.values())
        self._waiting.clear()
        return taken

    def close(self, code: int) -> None:
        if not self.closing.done():
            self.closing.set_result(code)
