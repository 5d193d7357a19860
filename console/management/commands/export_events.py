"""Write the log as JSON, one event a line, oldest run first; personal text is not in it."""

from __future__ import annotations

from uuid import UUID

from django.core.management.base import BaseCommand, CommandParser
from pydantic import TypeAdapter

from console.management.operator import plain_refusals, runs_named
from console.reads import event_views
from console.view_models.events import EventView
from runtime.models import Event

events = TypeAdapter(EventView)
BATCH = 500


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--workspace", required=True)
        parser.add_argument("--run", type=UUID, help="this run alone")

    def handle(self, *args: object, workspace: str, run: UUID | None, **options: object) -> None:
        with plain_refusals():
            for run_id in runs_named(workspace, run).order_by("pk").values_list("pk", flat=True):
                self._write(run_id, workspace)

    def _write(self, run_id: UUID, workspace: str) -> None:
        """A log only grows, so that it can be read in pieces."""
        after = 0
        while True:
            rows = Event.objects.filter(run=run_id, position__gt=after).order_by("position")
            views = event_views(rows[:BATCH], workspace=workspace)
            for view in views:
                self.stdout.write(events.dump_json(view).decode())
            if len(views) < BATCH:
                return
            after = views[-1].position
