"""Make the demo's database and people ready. The demo calls this; there is no need to."""

from __future__ import annotations

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from console.demo.prepare import prepare


class Command(BaseCommand):
    help = __doc__ or ""
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--url", required=True)
        parser.add_argument("--sandbox-url", required=True)
        parser.add_argument("--fresh", action="store_true")

    def handle(
        self, *_args: str, url: str, sandbox_url: str, fresh: bool, **_options: object
    ) -> None:
        prepare(settings.DATA_DIR, url=url, sandbox_url=sandbox_url, fresh=fresh)
