"""Wrap all that DATA_KEY protects under its newest key, and say when the others may go."""

from __future__ import annotations

from django.core.management.base import BaseCommand, CommandError, CommandParser

from console.management.operator import plain_refusals
from runtime.rotating import PROTECTED, rotate


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="count, and write nothing")

    def handle(self, *_args: str, check: bool, **_options: object) -> None:
        with plain_refusals():
            if not check:
                for each in PROTECTED:
                    became = rotate(each)
                    self.stdout.write(f"{each.name}: {became['wrapped anew']} wrapped anew")
            # Whoever still runs with an older key first may have written under it meanwhile.
            left = {each.name: rotate(each, check=True) for each in PROTECTED}
        for name, found in left.items():
            new, old, lost = (found[each] for each in ("current", "wrapped anew", "not readable"))
            self.stdout.write(f"{name}: {new} under the newest key, {old} older, {lost} unreadable")
        if any(found.total() > found["current"] for found in left.values()):
            raise CommandError("The newest key does not open everything: keep the others.")
        self.stdout.write("The newest key opens everything: DATA_KEY may hold it alone.")
