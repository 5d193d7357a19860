"""Fold every run's log and write its rows anew; --check only names what differs, and exits 1."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from approvals import folding as approvals
from runtime import rebuilding
from runtime.errors import UnreadableLogError
from runtime.event_log import Cause, lock_run
from runtime.folding import run_differences
from runtime.models import Run
from runtime.search import rebuild_search, search_differences

CAUSE = Cause(producer="rebuild_projections")
GUARDED: Final = (*rebuilding.GUARDED, *approvals.GUARDED)


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="change nothing")

    def handle(self, *args: object, check: bool, **options: object) -> None:
        if not check and not rebuilding.owns_guards(GUARDED):
            raise CommandError(
                "Only the owner of the tables can write rows past their guards: "
                "set OWNER_DATABASE_URL, or --check what differs."
            )
        left = 0
        for run_id in Run.objects.order_by("pk").values_list("pk", flat=True):
            left += self._looked_at(run_id, check=check)
        if left:
            raise CommandError(f"The rows are not as the log says: {left} differences.")

    def _looked_at(self, run_id: UUID, *, check: bool) -> int:
        """Answer how much is left; a log that cannot be read leaves the others to be looked at."""
        try:
            with transaction.atomic():
                lock_run(run_id, cause=CAUSE)
                return self._differing(run_id) if check else self._rebuilt(run_id)
        except UnreadableLogError as error:
            self.stdout.write(f"run {run_id}: {error}")
            return 1

    def _differing(self, run_id: UUID) -> int:
        found = list(_differences(run_id))
        for difference in found:
            self.stdout.write(difference)
        return len(found)

    def _rebuilt(self, run_id: UUID) -> int:
        """Rewrite what differs; answer how much is left: rows that no fact accounts for."""
        if not self._differing(run_id):
            return 0
        with rebuilding.without_guards(GUARDED):
            rebuilding.rebuild_run(run_id)
            approvals.rebuild_approvals(run_id)
        rebuild_search(Run.objects.get(pk=run_id))
        return len(list(_differences(run_id)))


def _differences(run_id: UUID) -> Iterator[str]:
    yield from run_differences(run_id)
    yield from approvals.approval_differences(run_id)
    yield from search_differences(Run.objects.get(pk=run_id))
