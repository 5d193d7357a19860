"""Say every five seconds that a process lives: how pages know that nobody is working."""

from __future__ import annotations

import threading
from typing import Final, Literal

import structlog
from django.db import DatabaseError, connection
from django.db.models.functions import Now

from runtime.leases import owner
from runtime.models import Heartbeat

logger = structlog.get_logger(__name__)
EVERY_S: Final = 5.0
Kind = Literal["worker", "relay"]


class Heart:
    """A thread that beats until its process ends, on a fresh connection every time."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self._beat, name="heart", daemon=True)

    def start(self) -> None:
        self.thread.start()

    def stop(self) -> None:
        """Take the row away too: whoever left in peace is not to be waited for."""
        self.stopped.set()
        if self.thread.is_alive():
            self.thread.join(2)

    def _beat(self) -> None:
        name = f"{self.kind}:{owner()}"
        while not self.stopped.is_set():
            self._say(name)
            self.stopped.wait(EVERY_S)
        self._fall_silent(name)

    def _say(self, name: str) -> None:
        try:
            Heartbeat.objects.update_or_create(
                owner=name, defaults={"kind": self.kind, "at": Now()}
            )
        except DatabaseError:
            logger.warning("heartbeat not written", owner=name)
        finally:
            connection.close()

    def _fall_silent(self, name: str) -> None:
        try:
            Heartbeat.objects.filter(owner=name).delete()
        except DatabaseError:
            logger.warning("the last heartbeat stays", owner=name)
        finally:
            connection.close()
