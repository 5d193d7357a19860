"""Threads that outlive a request, and with them their database connections."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from asgiref.sync import ThreadSensitiveContext

AsgiApplication = Callable[[Any, Any, Any], Awaitable[None]]


class KeptThreads:
    """Lend each request a thread of its own, at most `limit` at a time.

    Django would start a thread for every request, and a thread that ends takes its
    database connection with it.
    """

    def __init__(self, application: AsgiApplication, *, limit: int) -> None:
        self.application = application
        self.turns = asyncio.Semaphore(limit)
        self.idle: list[ThreadPoolExecutor] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI
        async with self.turns:
            with self._thread() as thread:
                async with ThreadSensitiveContext(executor=thread):
                    await self.application(scope, receive, send)

    @contextmanager
    def _thread(self) -> Iterator[ThreadPoolExecutor]:
        thread = self.idle.pop() if self.idle else ThreadPoolExecutor(1, "request")
        try:
            yield thread
        finally:
            self.idle.append(thread)
