from __future__ import annotations

from django.db import migrations

from runtime.guards import append_only


class Migration(migrations.Migration):
    """What a session's history is made of never changes; it is erased with the key it is under."""

    dependencies = [("runtime", "0006_webhooks")]

    operations = [
        migrations.RunSQL(sql, reverse_sql=undo)
        for sql, undo in [
            append_only("runtime_sessionwrite"),
            append_only("runtime_sessionappend"),
            append_only("runtime_sessionitem"),
        ]
    ]
