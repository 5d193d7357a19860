"""All who watch one thing: it is read and rendered once for all of them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol
from uuid import UUID

import structlog

from console.live.frames import Audience, Frame
from console.live.threads import in_thread
from console.live.watchers import Watcher

logger = structlog.get_logger(__name__)
# After a rendering, hints are gathered: for a moment, and longer where rendering takes longer.
LEAST_PAUSE_S = 0.05
PAUSE_FACTOR = 2
# How many runs a room remembers to have heard of; the rest are merely read once more.
MOST_HEARD = 1000
RETRY_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Since:
    """Which runs `moved` since the last reading; None: anything may have.

    `has_new`: somebody came who has nothing yet.
    """

    moved: frozenset[UUID] | None
    has_new: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A thing as it is now.

    Only what differs from what was sent before is sent again: `regions`, and `lines`, which
    whoever comes new gets all at once, as `whole`. `stale_at`: when it will look different
    although nothing happens.
    """

    position: int
    regions: Mapping[Audience, tuple[Frame, ...]]
    lines: tuple[Frame, ...] = ()
    whole: tuple[Frame, ...] = ()
    stale_at: datetime | None = None

    def all_for(self, audience: Audience) -> Iterator[Frame]:
        yield from self.regions[audience]
        if not audience.as_json:
            yield from self.lines

    def first_for(self, audience: Audience) -> Iterator[Frame]:
        yield from self.regions[audience]
        if not audience.as_json:
            yield from self.whole


class Topic(Protocol):
    """Something to watch; equal topics share a room."""

    @property
    def workspace(self) -> UUID: ...
    @property
    def run(self) -> UUID | None: ...
    def read(self, audiences: Collection[Audience], since: Since) -> Reading: ...


@dataclass
class Room:
    topic: Topic
    watchers: set[Watcher] = field(default_factory=set)
    position: int = 0
    stale_at: datetime | None = None
    _new: set[Watcher] = field(default_factory=set)
    _moved: set[UUID] = field(default_factory=set)
    _heard: dict[UUID, int] = field(default_factory=dict)
    _doubted: bool = False
    _sent: dict[Audience, dict[str, Frame]] = field(default_factory=dict)
    _bell: asyncio.Event = field(default_factory=asyncio.Event)

    def admit(self, watcher: Watcher) -> None:
        self.watchers.add(watcher)
        self._new.add(watcher)
        self._bell.set()

    def dismiss(self, watcher: Watcher) -> None:
        self.watchers.discard(watcher)
        self._new.discard(watcher)

    def hear(self, run: UUID, position: int) -> None:
        """Whoever recorded something rings, and so does the relay: the second ring says nothing."""
        if position <= self._heard.get(run, 0):
            return
        if len(self._heard) >= MOST_HEARD:
            self._heard.clear()
        self._heard[run] = position
        self._moved.add(run)
        self._bell.set()

    def doubt(self) -> None:
        """A hint may have been lost, or time alone may have changed something."""
        self._doubted = True
        self._bell.set()

    def is_behind(self, position: int, now: datetime) -> bool:
        overdue = self.stale_at is not None and now >= self.stale_at
        return overdue or position != self.position

    async def work(self) -> None:
        while True:
            await self._bell.wait()
            self._bell.clear()
            began = time.monotonic()
            try:
                await self._refresh()
            except Exception:
                logger.warning("live reading failed, trying again", exc_info=True)
                await asyncio.sleep(RETRY_S)
                self.doubt()
            took_s = time.monotonic() - began
            await asyncio.sleep(max(LEAST_PAUSE_S, PAUSE_FACTOR * took_s))

    async def _refresh(self) -> None:
        audiences = {watcher.audience for watcher in self.watchers}
        since = self._since()
        reading = await in_thread(self.topic.read, audiences, since)
        self.position, self.stale_at = reading.position, reading.stale_at
        # Whoever came while this was read is served by the next reading.
        served = [each for each in self.watchers if each.audience in reading.regions]
        changed = {audience: self._changed(audience, reading) for audience in audiences}
        for watcher in served:
            self._serve(watcher, reading, changed[watcher.audience], greets=since.has_new)
        self._sent = {audience: self._sent[audience] for audience in audiences}

    def _since(self) -> Since:
        has_new = bool(self._new)
        moved = None if self._doubted or has_new else frozenset(self._moved)
        self._doubted = False
        self._moved.clear()
        return Since(moved=moved, has_new=has_new)

    def _changed(self, audience: Audience, reading: Reading) -> list[Frame]:
        sent = self._sent.setdefault(audience, {})
        changed = [
            frame
            for frame in reading.all_for(audience)
            if (before := sent.get(frame.target)) is None or before.content != frame.content
        ]
        sent.update((frame.target, frame) for frame in changed)
        return changed

    def _serve(
        self, watcher: Watcher, reading: Reading, changed: Iterable[Frame], *, greets: bool
    ) -> None:
        if watcher not in self._new:
            watcher.put(changed)
        elif greets:
            self._new.discard(watcher)
            watcher.put(reading.first_for(watcher.audience))
