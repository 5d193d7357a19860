"""Recompute every run's chain of hashes; name each break and exit 1 if there is one."""

from __future__ import annotations

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from runtime.event_log import Cause, lock_run
from runtime.models import Run
from runtime.verify import log_differences

CAUSE = Cause(producer="verify_log")


class Command(BaseCommand):
    help = __doc__ or ""

    def handle(self, *args: object, **options: object) -> None:
        found = 0
        for run_id in Run.objects.order_by("pk").values_list("pk", flat=True):
            # Under the run's lock, or a log that grows meanwhile would look cut.
            with transaction.atomic():
                lock_run(run_id, cause=CAUSE)
                for difference in log_differences(run_id):
                    self.stdout.write(difference)
                    found += 1
        if found:
            raise CommandError(f"The log is not what was recorded: {found} differences.")
