"""Serve pages, the API and live sockets from one process."""

from __future__ import annotations

import uvicorn
from django.core.management.base import BaseCommand, CommandParser

from console.http import Http

LARGEST_FRAME = 16 * 1024
LARGEST_HEAD = 16 * 1024
LAST_ANSWERS_S = 5


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)

    def handle(self, *_args: str, host: str, port: int, **_options: object) -> None:
        uvicorn.run(
            "console.asgi:application",
            host=host,
            port=port,
            http=Http,
            h11_max_incomplete_event_size=LARGEST_HEAD,
            lifespan="on",
            ws="websockets-sansio",
            ws_max_size=LARGEST_FRAME,
            # Compression costs about 35 KiB a socket, and fragments are small.
            ws_per_message_deflate=False,
            timeout_graceful_shutdown=LAST_ANSWERS_S,
            access_log=False,
            # Ours is in place by now; theirs would write lines of another kind.
            log_config=None,
            server_header=False,
        )
