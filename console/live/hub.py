"""The one listener of a process: hears what moved and wakes the rooms that show it."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from uuid import UUID
from weakref import WeakKeyDictionary

import structlog
from channels.layers import get_channel_layer

from console.live.identity import Refusal
from console.live.looks import Look, look
from console.live.notices import MEMBER_MOVED, SESSION_ENDED, TEXTS_ERASED
from console.live.rooms import Room, Topic
from console.live.threads import in_thread
from console.live.watchers import Watcher
from runtime.doorbell import GROUP

logger = structlog.get_logger(__name__)
LOOK_S = 5.0
RETRY_S = 1.0


class Hub:
    """Listens for as long as anybody watches; what it misses, it finds by looking."""

    def __init__(self) -> None:
        self.rooms: dict[Topic, Room] = {}
        self.bells: dict[UUID, set[asyncio.Event]] = defaultdict(set)
        self.tasks: dict[Topic | None, list[asyncio.Task[None]]] = {}
        self.health: tuple[str, ...] | None = None

    def join(self, topic: Topic, watcher: Watcher) -> None:
        self._begin()
        if topic not in self.rooms:
            room = self.rooms[topic] = Room(topic)
            self.tasks[topic] = [asyncio.create_task(room.work())]
        self.rooms[topic].admit(watcher)

    def leave(self, topic: Topic, watcher: Watcher) -> None:
        room = self.rooms[topic]
        room.dismiss(watcher)
        if not room.watchers:
            del self.rooms[topic]
            self._end(topic)
        self._rest()

    @contextmanager
    def listening(self, to: UUID) -> Iterator[asyncio.Event]:
        """Lend a bell that rings when a run, or any of a workspace, moves; a ring may be lost."""
        self._begin()
        bell = asyncio.Event()
        self.bells[to].add(bell)
        try:
            yield bell
        finally:
            self.bells[to].discard(bell)
            if not self.bells[to]:
                del self.bells[to]
            self._rest()

    def _begin(self) -> None:
        if None not in self.tasks:
            self.tasks[None] = [
                asyncio.create_task(self._listen()),
                asyncio.create_task(self._look()),
            ]

    def _rest(self) -> None:
        if not self.rooms and not self.bells:
            self._end(None)

    def _end(self, key: Topic | None) -> None:
        for task in self.tasks.pop(key):
            task.cancel()

    async def _listen(self) -> None:
        while True:
            try:
                layer = get_channel_layer()
                channel = await layer.new_channel()
                await layer.group_add(GROUP, channel)
                for room in self.rooms.values():
                    room.doubt()
                while True:
                    self.hear(await layer.receive(channel))
            except Exception:
                logger.warning("cannot listen, trying again", exc_info=True)
                await asyncio.sleep(RETRY_S)

    def hear(self, message: Mapping[str, Any]) -> None:
        match message:
            case {"type": "run.moved", "workspace": workspace, "run": run, "position": position}:
                self._moved(UUID(workspace), UUID(run), position)
            case {"type": kind, "session": session} if kind == SESSION_ENDED:
                self._close(session)
            case {"type": kind, "person": person} if kind == MEMBER_MOVED:
                for watcher in self._watchers():
                    if str(watcher.audience.member.actor.person.pk) == person:
                        watcher.doubted.set()
                # Whoever waits is not known here: let all ask again, and only they are refused.
                self._ring(*self.bells)
            case {"type": kind, "workspace": workspace} if kind == TEXTS_ERASED:
                self._doubt(UUID(workspace))

    def _close(self, session: str) -> None:
        for watcher in self._watchers():
            if watcher.session == session:
                watcher.close(Refusal.NO_IDENTITY)

    def _doubt(self, workspace: UUID) -> None:
        for topic, room in self.rooms.items():
            if topic.workspace == workspace:
                room.doubt()

    def _moved(self, workspace: UUID, run: UUID, position: int) -> None:
        self._ring(run, workspace)
        for topic, room in self.rooms.items():
            if topic.workspace == workspace and topic.run in (None, run):
                room.hear(run, position)

    def _ring(self, *moved: UUID) -> None:
        for each in moved:
            for bell in self.bells.get(each, ()):
                bell.set()

    def _watchers(self) -> Iterator[Watcher]:
        return (watcher for room in self.rooms.values() for watcher in room.watchers)

    async def _look(self) -> None:
        """Hints get lost, deadlines pass and processes die without one."""
        while True:
            await asyncio.sleep(LOOK_S)
            try:
                self._compare(await in_thread(look, tuple(self.rooms)))
            except Exception:
                logger.warning("cannot look for what was missed", exc_info=True)

    def _compare(self, seen: Look) -> None:
        is_news = seen.health != self.health
        self.health = seen.health
        for topic, position in seen.positions.items():
            room = self.rooms.get(topic)
            if room and (is_news or room.is_behind(position, seen.now)):
                room.doubt()


_hubs: WeakKeyDictionary[asyncio.AbstractEventLoop, Hub] = WeakKeyDictionary()


def hub() -> Hub:
    """Answer the hub of the running loop: one for a process that serves."""
    return _hubs.setdefault(asyncio.get_running_loop(), Hub())
