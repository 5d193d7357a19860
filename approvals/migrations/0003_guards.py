from __future__ import annotations

from django.db import migrations

from approvals.states import APPROVAL_NEXT
from runtime.guards import append_only, only_listed_moves


class Migration(migrations.Migration):
    """Let the database refuse what the transition table does not list."""

    dependencies = [("approvals", "0002_initial")]

    operations = [
        migrations.RunSQL(sql, reverse_sql=undo)
        for sql, undo in [
            append_only("approvals_consumption"),
            append_only("approvals_vote"),
            only_listed_moves("approvals_approval", "status", APPROVAL_NEXT),
        ]
    ]
