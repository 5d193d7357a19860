"""Live sockets: join first, read second, then send what changes until somebody leaves."""

from __future__ import annotations

import asyncio
import json
from abc import ABC, abstractmethod
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs
from uuid import UUID

import structlog

from approvals.states import Role
from console.live.frames import Audience
from console.live.hub import hub
from console.live.identity import Identity, Refusal, identify
from console.live.rooms import Topic
from console.live.threads import in_thread
from console.live.topics import InboxTopic, RunTopic
from console.live.watchers import Watcher
from console.members import Member
from runtime.models import Run

logger = structlog.get_logger(__name__)
HEARTBEAT_S = 20.0
IDENTITY_GOOD_FOR_S = 60.0
# Browsers come back by themselves after this one, as whoever they are then.
COME_BACK = 1012


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    identity: Identity
    topic: Topic
    as_json: bool


class Socket(ABC):
    """An ASGI application for one kind of topic."""

    @abstractmethod
    def topic(self, member: Member, run_id: UUID | None, /) -> Topic | Refusal:
        """Answer what this member may watch under this address."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI
        await receive()
        await send({"type": "websocket.accept"})
        visit = await in_thread(self.enter, scope)
        if isinstance(visit, Refusal):
            await _close(send, visit)
            return
        audience = Audience(member=visit.identity.member, as_json=visit.as_json)
        watcher = Watcher(audience, session=visit.identity.session)
        hub().join(visit.topic, watcher)
        try:
            await self._stay(scope, receive, send, visit, watcher)
        finally:
            hub().leave(visit.topic, watcher)

    def enter(self, scope: Any) -> Visit | Refusal:  # noqa: ANN401 - ASGI
        arguments = scope["url_route"]["kwargs"]
        identity = identify(scope, arguments["workspace"])
        if isinstance(identity, Refusal):
            return identity
        topic = self.topic(identity.member, arguments.get("run_id"))
        if isinstance(topic, Refusal):
            return topic
        query = parse_qs(scope["query_string"].decode("latin-1"))
        return Visit(identity=identity, topic=topic, as_json=query.get("as") == ["json"])

    async def _stay(
        self,
        scope: Any,  # noqa: ANN401 - ASGI
        receive: Any,  # noqa: ANN401 - ASGI
        send: Any,  # noqa: ANN401 - ASGI
        visit: Visit,
        watcher: Watcher,
    ) -> None:
        gone = asyncio.create_task(_until_gone(receive))
        works = [
            asyncio.create_task(work)
            for work in (
                _send_frames(watcher, send),
                _send_heartbeats(watcher, send),
                self._check_identity(scope, visit, watcher),
            )
        ]
        ends: list[asyncio.Future[Any]] = [gone, watcher.closing, *works]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        has_left = gone.done()
        await _end([gone, *works])
        if not has_left:
            await _close(send, watcher.closing.result() if watcher.closing.done() else COME_BACK)

    async def _check_identity(self, scope: Any, visit: Visit, watcher: Watcher) -> None:  # noqa: ANN401
        """Look again every minute, and whenever somebody says that something changed."""
        while not watcher.closing.done():
            with suppress(TimeoutError):
                await asyncio.wait_for(watcher.doubted.wait(), IDENTITY_GOOD_FOR_S)
            watcher.doubted.clear()
            found = await in_thread(self.enter, scope)
            if isinstance(found, Refusal):
                watcher.close(found)
            elif found != visit:
                watcher.close(COME_BACK)


class RunSocket(Socket):
    def topic(self, member: Member, run_id: UUID | None, /) -> Topic | Refusal:
        runs = Run.objects.filter(workspace=member.actor.workspace)
        if member.role is Role.AGENT:
            runs = runs.filter(account=member.actor.person)
        if run_id is None or not runs.filter(pk=run_id).exists():
            return Refusal.NOT_FOUND
        return RunTopic(workspace=member.actor.workspace.pk, run=run_id)


class InboxSocket(Socket):
    def topic(self, member: Member, _run_id: UUID | None, /) -> Topic | Refusal:
        if member.role is Role.AGENT:
            return Refusal.NO_ROLE
        return InboxTopic(workspace=member.actor.workspace.pk)


async def nothing_here(_scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI
    await receive()
    await send({"type": "websocket.accept"})
    await _close(send, Refusal.NOT_FOUND)


async def _until_gone(receive: Any) -> None:  # noqa: ANN401 - ASGI
    """Nothing that a page sends means anything; it only can leave."""
    while (await receive())["type"] != "websocket.disconnect":
        pass


async def _send_frames(watcher: Watcher, send: Any) -> None:  # noqa: ANN401 - ASGI
    while True:
        for frame in await watcher.take():
            await send({"type": "websocket.send", "text": frame.text})


async def _send_heartbeats(watcher: Watcher, send: Any) -> None:  # noqa: ANN401 - ASGI
    while True:
        await asyncio.sleep(HEARTBEAT_S)
        positions = {str(run): position for run, position in watcher.positions.items()}
        beat = json.dumps({"kind": "heartbeat", "positions": positions})
        await send({"type": "websocket.send", "text": beat})


async def _end(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    for ended in await asyncio.gather(*tasks, return_exceptions=True):
        # Somebody who is gone cannot be sent to, which says nothing new.
        if isinstance(ended, Exception) and not isinstance(ended, OSError):
            logger.warning("socket ended early", exc_info=ended)


async def _close(send: Any, code: int) -> None:  # noqa: ANN401 - ASGI
    await send({"type": "websocket.close", "code": code})
