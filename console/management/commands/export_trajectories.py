"""Write runs for graders as JSON, one run a line, oldest first; nobody's data is in it."""

from __future__ import annotations

from uuid import UUID

from django.core.management.base import BaseCommand, CommandParser
from pydantic import TypeAdapter

from console.management.operator import moment_named, plain_refusals, runs_named
from console.reads import trajectory_of
from console.view_models.trajectory import TrajectoryView

trajectories = TypeAdapter(TrajectoryView)


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--workspace", required=True)
        parser.add_argument("--run", type=UUID, help="this run alone")
        parser.add_argument(
            "--since", metavar="DATE", help="runs started then or later: a date, or a time"
        )

    def handle(
        self,
        *args: object,
        workspace: str,
        run: UUID | None,
        since: str | None,
        **options: object,
    ) -> None:
        with plain_refusals():
            runs = runs_named(workspace, run)
            if since is not None:
                runs = runs.filter(started_at__gte=moment_named(since))
            for each in runs.order_by("pk").iterator():
                self.stdout.write(trajectories.dump_json(trajectory_of(each)).decode())
