from __future__ import annotations

from django.db import migrations

from runtime.guards import given_once


class Migration(migrations.Migration):
    """What announces a fact stays as it is: anchors are recomputed from its numbers for ever."""

    dependencies = [("runtime", "0008_causes")]

    operations = [
        migrations.RunSQL(sql, reverse_sql=undo)
        for sql, undo in [given_once("runtime_outbox", "pos")]
    ]
