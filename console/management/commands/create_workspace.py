"""Make a workspace, with limits and a first policy that an admin of it has yet to activate."""

from __future__ import annotations

from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction

from approvals.rules import write_policy
from approvals.setup import create_workspace, set_starting_limits
from approvals.starter import LIMITS, POLICY, REFUNDS
from console.management.operator import plain_refusals


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--slug", required=True, help="its name in addresses: /w/SLUG/")
        parser.add_argument("--name", required=True, help="its name for people")
        parser.add_argument("--time-zone", default="UTC", help="whose days day limits go by")

    def handle(self, *_args: str, slug: str, name: str, time_zone: str, **_options: object) -> None:
        with plain_refusals(), transaction.atomic():
            workspace = create_workspace(slug, name, time_zone=time_zone)
            set_starting_limits(workspace)
            version = write_policy(workspace, POLICY, REFUNDS, author=None)
        self.stdout.write(f"Workspace {slug}, with limits for the groups {', '.join(LIMITS)}.")
        self.stdout.write(f"Policy {version} waits for an admin of {slug} to activate it.")
