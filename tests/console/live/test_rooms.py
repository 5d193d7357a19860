from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from uuid import uuid4

import pytest

from console.live.rooms import Reading, Room, Since

RUN = uuid4()


@dataclass
class Counted:
    """Something to watch that notes how often it is read, and since what."""

    workspace = uuid4()
    run = RUN
    readings: list[Since] = field(default_factory=list)
    fails: int = 0

    def read(self, audiences, since):
        self.readings.append(since)
        if self.fails:
            self.fails -= 1
            raise ConnectionError
        return Reading(position=len(self.readings), regions={})


@pytest.fixture
async def room(monkeypatch):
    monkeypatch.setattr("console.live.rooms.RETRY_S", 0.01)
    room = Room(Counted())
    work = asyncio.create_task(room.work())
    yield room
    work.cancel()
    with suppress(asyncio.CancelledError):
        await work


async def after(room, *positions):
    for position in positions:
        room.hear(RUN, position)
        await asyncio.sleep(0.2)
    return len(room.topic.readings)


async def test_each_position_is_read_once_however_often_it_is_rung_for(room):
    assert await after(room, 1, 1, 2, 2, 1) == 2


async def test_a_doubt_reads_again_whatever_was_heard(room):
    await after(room, 5)

    room.doubt()
    await asyncio.sleep(0.2)

    assert room.topic.readings == [
        Since(moved=frozenset({RUN}), has_new=False),
        Since(moved=None, has_new=False),
    ]


async def test_what_could_not_be_read_is_read_in_full_although_it_was_heard(room):
    room.topic.fails = 1

    assert await after(room, 7) == 2

    assert room.topic.readings[-1] == Since(moved=None, has_new=False)
