"""Write the evidence pack of one approval as JSON; docs/verify_evidence.py checks it anywhere."""

from __future__ import annotations

from uuid import UUID

from django.core.management.base import BaseCommand, CommandParser

from approvals.errors import NotPossibleError
from approvals.models import Approval
from console.management.operator import plain_refusals, workspace_named
from console.packs import taken_pack, written


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--workspace", required=True)
        parser.add_argument("--approval", type=UUID, required=True)

    def handle(self, *args: object, workspace: str, approval: UUID, **options: object) -> None:
        with plain_refusals():
            rows = Approval.objects.filter(workspace=workspace_named(workspace))
            row = rows.filter(pk=approval).first()
            if row is None:
                raise NotPossibleError(f"{workspace} has no approval {approval}.")
            self.stdout.write(written(taken_pack(row, by=None)).decode())
