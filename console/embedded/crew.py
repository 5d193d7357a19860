"""A crew of children: started in order, started again when one dies, ended in reverse."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from console.embedded.errors import StartError, no_space
from console.embedded.processes import Child, end, spawn

POLL_S = 0.05
READY_WITHIN_S = 30.0
GRACE_S = 4.0
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 10.0
LONGEST_START_PAUSE_S = 4.0  # four tries in about eight seconds, then its start has failed
RAN_WELL_S = 30.0
LEAST_SPACE = 64 * 1024
REFUSED = 2  # a program of ours that ends with it has said why on its last line


def next_pause(previous: float, uptime: float) -> float:
    """Answer the seconds to wait before a child is started again."""
    if uptime >= RAN_WELL_S:
        return FIRST_PAUSE_S
    return min(max(FIRST_PAUSE_S, previous * 2), LONGEST_PAUSE_S)


@dataclass(kw_only=True)
class Member:
    """A child and its present process; `due` is when its next one starts."""

    child: Child
    process: subprocess.Popen[bytes]
    since: float
    pause: float = 0.0
    due: float | None = None


def _warn(line: str) -> None:
    print(line, file=sys.stderr, flush=True)  # noqa: T201


@dataclass(kw_only=True)
class Crew:
    """The children of one owner; fork and tend them from the main thread only."""

    logs: Path
    changed: Callable[[dict[str, int]], None] = lambda _pids: None
    say: Callable[[str], None] = _warn
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    grace: float = GRACE_S
    ready_within: float = READY_WITHIN_S
    members: list[Member] = field(default_factory=list)

    def start(self, child: Child) -> None:
        """Start a child and return when it is ready, tending all of them meanwhile."""
        deadline = self.clock() + self.ready_within
        process = spawn(child, self._log(child))
        member = Member(child=child, process=process, since=self.clock())
        self.members.append(member)
        self._report()
        while not self._is_ready(member):
            if self.clock() >= deadline or member.pause > LONGEST_START_PAUSE_S:
                raise self._failure(child)
            self.sleep(POLL_S)
            self.tend()

    def run(self, child: Child) -> None:
        """Run a child to its end, tending the others; raise StartError unless that is status 0."""
        process = spawn(child, self._log(child))
        try:
            while process.poll() is None:
                self.sleep(POLL_S)
                self.tend()
        finally:
            end([(child, process)], self.grace)
        if process.returncode != 0:
            raise self._failure(child, said_why=process.returncode == REFUSED)

    def tend(self) -> None:
        """Notice who died, and start again whose pause is over."""
        for member in self.members:
            if member.due is None and member.process.poll() is not None:
                self._mourn(member)
            elif member.due is not None and self.clock() >= member.due:
                member.process = spawn(member.child, self._log(member.child))
                member.since, member.due = self.clock(), None
                self._report()

    def tend_forever(self) -> NoReturn:
        """Tend until `sleep` raises."""
        while True:
            self.sleep(POLL_S)
            self.tend()

    def end(self) -> None:
        """End everyone, those the others need last and one by one."""
        others = [member for member in self.members if not member.child.is_foundation]
        foundations = [member for member in self.members if member.child.is_foundation]
        for wave in (others[::-1], *([member] for member in foundations[::-1])):
            end(((member.child, member.process) for member in wave), self.grace)
            self.members = [member for member in self.members if member not in wave]
            self._report()

    def _mourn(self, member: Member) -> None:
        member.pause = next_pause(member.pause, self.clock() - member.since)
        member.due = self.clock() + member.pause
        how, log = describe_end(member.process.returncode), self._log(member.child)
        self.say(f"{member.child.name} {how}; starting it again in {member.pause:g} s ({log})")
        self._report()

    def _is_ready(self, member: Member) -> bool:
        if member.process.poll() is not None:
            return False
        return member.child.ready is None or member.child.ready()

    def _report(self) -> None:
        alive = (member for member in self.members if member.due is None)
        self.changed({member.child.name: member.process.pid for member in alive})

    def _log(self, child: Child) -> Path:
        return self.logs / f"{child.name}.log"

    def _failure(self, child: Child, *, said_why: bool = False) -> StartError:
        log = self._log(child)
        lines = log.read_text(errors="replace").strip().splitlines()[-20:]
        # A full disk also swallows the line that would have said so.
        is_full = shutil.disk_usage(self.logs).free < LEAST_SPACE
        if is_full or any("No space left on device" in line for line in lines):
            return no_space(log)
        last = lines[-1] if lines else "it said nothing"
        return StartError(last if said_why else f"{child.name} does not start: {last} ({log})")


def describe_end(status: int) -> str:
    if status < 0:
        return f"was killed by {signal.Signals(-status).name}"
    return f"ended with status {status}"
