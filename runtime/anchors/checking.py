"""Hold a file of anchors against the log: what was rewritten since, and in which run."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Final
from uuid import UUID

from django.db import connection

from runtime.anchors.files import lines_of
from runtime.anchors.lines import Chain, Head, Line, flaw
from runtime.event_log import database_now
from runtime.models import Event, Outbox, Workspace, WorkspaceFeed

# How many heads are looked up in one go.
BATCH: Final = 1_000
STORED: Final = """
    SELECT h.run::text, h.position, e.hash
    FROM unnest(%s::uuid[], %s::bigint[]) AS h (run, position)
    LEFT JOIN runtime_event e ON e.run_id = h.run AND e.position = h.position
"""


@dataclass(slots=True, kw_only=True)
class Check:
    """One file read from its beginning to its end; `chain` is then how far it speaks.

    Only lines that are sound themselves are held against the log; of each run the first that
    it departs from is named, for that is since when.
    """

    path: Path
    trusted: Collection[str]
    chain: Chain = field(default_factory=Chain)
    named: set[UUID] = field(default_factory=set)

    def differences(self) -> Iterator[str]:
        if not self.path.exists():
            return
        waiting: list[tuple[Line, Head]] = []
        for number, line in lines_of(self.path):
            # A line torn by a crash is none: what matters is what the next one follows.
            if line is None:
                continue
            found = list(self._flaws(line))
            yield from (f"{self.path}, line {number}: {each}" for each in found)
            self.chain.follow(line)
            waiting += [] if found else [(line, head) for head in line.heads]
            if len(waiting) >= BATCH:
                yield from self._rewritten(waiting)
                waiting = []
        yield from self._rewritten(waiting)

    def _flaws(self, line: Line) -> Iterator[str]:
        if not self.chain.is_followed_by(line.says):
            yield f"does not follow anchor {self.chain.number}: lines were taken out or changed"
        if found := flaw(line, self.trusted):
            yield found

    def _rewritten(self, waiting: list[tuple[Line, Head]]) -> Iterator[str]:
        stored = _stored([head for _, head in waiting])
        for line, (run, position, link) in waiting:
            found = stored[str(run), position]
            if found != link and run not in self.named:
                self.named.add(run)
                yield (
                    f"run {run}: position {position} is {'another' if found else 'gone'}"
                    f" since {since(line)}"
                )


def since(line: Line) -> str:
    says = line.says
    return f"anchor {says.number} of {says.at:%Y-%m-%d %H:%M:%S} UTC"


def beyond_the_log(path: Path, chain: Chain) -> Iterator[str]:
    """Name workspaces that a file says more of than there is."""
    feeds = dict(WorkspaceFeed.objects.values_list("workspace_id", "pos"))
    for workspace, upto in chain.upto.items():
        if (pos := feeds.get(workspace, 0)) < upto:
            yield f"workspace {workspace}: its log has {pos} facts, {path} speaks of {upto}"


def not_anchored(reach: Mapping[UUID, int], *, late: timedelta) -> Iterator[str]:
    """Name workspaces with facts that should be in an anchor by now, and are in none.

    That a file was cut at its end cannot be seen from the file; this can.
    """
    before = database_now() - late
    for feed in WorkspaceFeed.objects.order_by("pk"):
        upto = reach.get(feed.workspace_id, 0)
        first = Outbox.objects.filter(workspace=feed.workspace_id, pos=upto + 1).first()
        if first is None:
            continue
        event = Event.objects.filter(run=first.run_id, position=first.position).first()
        if event is not None and event.recorded_at < before:
            slug = Workspace.objects.get(pk=feed.workspace_id).slug
            when = f"{event.recorded_at:%Y-%m-%d %H:%M:%S} UTC"
            yield f"workspace {slug}: {feed.pos - upto} facts since {when} are in no anchor"


def _stored(heads: list[Head]) -> dict[tuple[str, int], str | None]:
    with connection.cursor() as cursor:
        cursor.execute(STORED, [[run for run, _, _ in heads], [at for _, at, _ in heads]])
        return {(run, position): link for run, position, link in cursor.fetchall()}
