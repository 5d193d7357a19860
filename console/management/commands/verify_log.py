"""Recompute every chain, and hold outbox and anchors against it; name each break and exit 1."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Final
from uuid import UUID

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from console.anchors import trusted_keys
from runtime.anchors.checking import Check, beyond_the_log, not_anchored
from runtime.models import Run
from runtime.verify import log_differences
from runtime.verify_outbox import outbox_differences

# So many times over a relay has been due: then a fact without an anchor is news.
LATE: Final = 10


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--anchors", type=Path, action="append", help="a file, or several")
        parser.add_argument("--public-key", action="append", default=[], help="good as well")

    def handle(
        self,
        *args: object,
        anchors: Sequence[Path] | None,
        public_key: Sequence[str],
        **options: object,
    ) -> None:
        found = 0
        files = anchors or [settings.ANCHOR_FILE]
        for difference in _differences(files, trusted_keys().union(public_key)):
            self.stdout.write(difference)
            found += 1
        if found:
            raise CommandError(f"The log is not what was recorded: {found} differences.")


def _differences(files: Sequence[Path], trusted: frozenset[str]) -> Iterator[str]:
    for run_id in Run.objects.order_by("pk").values_list("pk", flat=True).iterator():
        # Under the run's lock, or a log that grows meanwhile would look cut. Hashes are over stored
        # text, so that a log which this program cannot read is verified as well.
        with transaction.atomic():
            Run.objects.select_for_update(no_key=True).get(pk=run_id)
            found = list(log_differences(run_id))
        yield from found
    yield from outbox_differences()
    yield from _anchored(files, trusted)


def _anchored(files: Sequence[Path], trusted: frozenset[str]) -> Iterator[str]:
    reach: dict[UUID, int] = {}
    for path in files:
        check = Check(path=path, trusted=trusted)
        yield from check.differences()
        yield from beyond_the_log(path, check.chain)
        for workspace, upto in check.chain.upto.items():
            reach[workspace] = max(upto, reach.get(workspace, 0))
    yield from not_anchored(reach, late=timedelta(seconds=LATE * settings.ANCHOR_EVERY_S))
