"""Tell open pages that a run has moved. A hint may be lost: whoever hears one re-reads."""

from __future__ import annotations

import asyncio
import threading
from functools import cache
from uuid import UUID

import structlog
from channels.layers import get_channel_layer

logger = structlog.get_logger(__name__)
GROUP = "doorbell"


def ring(workspace: UUID, run: UUID, position: int) -> None:
    """Send `{workspace, run, position}` to every listening process."""
    tell({"type": "run.moved", "workspace": str(workspace), "run": str(run), "position": position})


def tell(message: dict[str, object]) -> None:
    """Send a hint to every listening process; never waits, never raises."""
    asyncio.run_coroutine_threadsafe(_send(message), _loop())


async def _send(message: dict[str, object]) -> None:
    try:
        await get_channel_layer().group_send(GROUP, message)
    except Exception:
        logger.warning("doorbell not heard", exc_info=True)


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """One loop and one connection for the whole process, whoever rings."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="doorbell", daemon=True).start()
    return loop
