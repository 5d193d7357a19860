"""Number the outbox, ring the doorbell, fire timers and anchor the log until told to stop."""

from __future__ import annotations

import signal
import threading

from django.core.management.base import BaseCommand

from console.anchors import anchoring
from runtime import relay
from runtime.heartbeats import Heart


class Command(BaseCommand):
    help = __doc__ or ""

    def handle(self, *args: object, **options: object) -> None:
        stopped = threading.Event()
        for ending in (signal.SIGTERM, signal.SIGINT):
            signal.signal(ending, lambda *_: stopped.set())
        anchors = anchoring()
        heart = Heart("relay")
        heart.start()
        relay.run(stopped, anchors)
        heart.stop()
