"""Write the audit record as JSON lines: a header, then facts, receipts, workspace changes."""

from __future__ import annotations

from uuid import UUID

from django.core.management.base import BaseCommand, CommandParser
from pydantic import TypeAdapter

from console.management.operator import plain_refusals, runs_named, workspace_named
from console.reads import audit_lines
from console.view_models.audit import AuditLine

lines: TypeAdapter[AuditLine] = TypeAdapter(AuditLine)


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--workspace", required=True)
        parser.add_argument("--run", type=UUID, help="this run alone")

    def handle(self, *args: object, workspace: str, run: UUID | None, **options: object) -> None:
        with plain_refusals():
            runs_named(workspace, run)
            for line in audit_lines(workspace_named(workspace), run):
                self.stdout.write(lines.dump_json(line).decode())
