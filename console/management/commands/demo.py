"""Run everything on this machine: servers, provider, people, and an agent with tickets."""

from __future__ import annotations

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from console.demo.cast import Cast
from console.demo.play import play
from console.embedded.data_dir import layout


class Command(BaseCommand):
    help = __doc__ or ""
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--sandbox-port", type=int, default=8001)
        # Taken by manage.py, because the settings depend on it.
        parser.add_argument("--data", metavar="DIR", help="instead of DATA_DIR or .data")
        parser.add_argument("--fresh", action="store_true", help="empty DATA_DIR first")
        parser.add_argument("--no-tickets", action="store_true", help="without the agent")

    def handle(
        self,
        *_args: str,
        port: int,
        sandbox_port: int,
        fresh: bool,
        no_tickets: bool,
        **_options: object,
    ) -> None:
        cast = Cast(
            where=layout(settings.DATA_DIR),
            endpoints=settings.SERVERS,
            port=port,
            sandbox_port=sandbox_port,
        )
        play(
            cast,
            fresh=fresh,
            with_tickets=not no_tickets,
            ready=lambda url: print(f"ready {url}", flush=True),
            say=self.stderr.write,
        )
