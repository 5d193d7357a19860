from __future__ import annotations

from django.db import migrations

from runtime.guards import list_moves
from runtime.states import VERIFICATION_NEXT


class Migration(migrations.Migration):
    """Let a call that people settled as completed be inconclusive at once."""

    dependencies = [("runtime", "0002_guards")]

    operations = [
        migrations.RunSQL(
            list_moves("runtime_toolcall", "verification_status", VERIFICATION_NEXT),
            reverse_sql=migrations.RunSQL.noop,
        )
    ]
