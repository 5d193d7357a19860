from __future__ import annotations

from django.db import migrations

from runtime.guards import append_only, only_listed_moves
from runtime.states import ATTEMPT_NEXT, CALL_NEXT, VERIFICATION_NEXT


class Migration(migrations.Migration):
    """Let the database, not the ORM, promise that facts never change and moves are legal."""

    dependencies = [("runtime", "0001_initial")]

    operations = [
        migrations.RunSQL(sql, reverse_sql=undo)
        for sql, undo in [
            append_only("runtime_event"),
            append_only("runtime_receipt"),
            only_listed_moves("runtime_toolcall", "execution_status", CALL_NEXT),
            only_listed_moves("runtime_toolcall", "verification_status", VERIFICATION_NEXT),
            only_listed_moves("runtime_attempt", "status", ATTEMPT_NEXT),
        ]
    ]
