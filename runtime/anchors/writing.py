"""Anchor what moved since the last time, every so often; a relay does it between its turns."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

import structlog
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.db import connection

from runtime.anchors.files import AnchorFile
from runtime.anchors.lines import Head, signed
from runtime.event_log import database_now
from runtime.models import WorkspaceFeed

logger = structlog.get_logger(__name__)
# How many numbers one line may speak of: the first line of a new file is about all there are.
MOST: Final = 10_000
HEADS: Final = """
    SELECT e.run_id, e.position, e.hash
    FROM (
        SELECT run_id, max(position) AS position FROM runtime_outbox
        WHERE workspace_id = %s AND pos > %s AND pos <= %s GROUP BY run_id
    ) AS moved
    JOIN runtime_event e USING (run_id, position)
    ORDER BY e.run_id
"""


@dataclass(slots=True, kw_only=True)
class Anchoring:
    """One relay's part in it; a file that cannot be written stops nothing else."""

    file: AnchorFile
    key: Ed25519PrivateKey
    every_s: float
    due: float = field(default=0.0)

    def write_if_due(self) -> None:
        if time.monotonic() < self.due:
            return
        self.due = time.monotonic() + self.every_s
        try:
            self._write()
        except OSError as error:
            logger.exception("anchors not written", file=str(self.file.path), errno=error.errno)
            self.file.forget()

    def _write(self) -> None:
        with self.file.held() as handle:
            if handle is None:
                return
            for workspace, pos in WorkspaceFeed.objects.values_list("workspace_id", "pos"):
                self._write_up_to(handle, workspace, pos)

    def _write_up_to(self, handle: int, workspace: UUID, pos: int) -> None:
        chain = self.file.chain
        while (after := chain.upto.get(workspace, 0)) < pos:
            upto = min(pos, after + MOST)
            heads = heads_moved(workspace, after, upto)
            now = database_now()
            line = signed(chain, self.key, at=now, workspace=workspace, upto=upto, heads=heads)
            self.file.append(handle, line)


def heads_moved(workspace: UUID, after: int, upto: int) -> list[Head]:
    """The head that each run had at a number, of those that moved in the numbers before it.

    Numbers are contiguous and never change, so that the answer is the same for ever.
    """
    with connection.cursor() as cursor:
        cursor.execute(HEADS, [workspace, after, upto])
        return [(run, position, link) for run, position, link in cursor.fetchall()]
