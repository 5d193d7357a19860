"""Approvals know the last event that changed them: what happens next to them comes of it."""

from __future__ import annotations

from django.db import migrations, models

APPROVALS = """
UPDATE approvals_approval AS row SET last_event = fact.event_id FROM (
    SELECT DISTINCT ON (approval_id) approval_id, event_id FROM runtime_event
    WHERE event_type LIKE 'approval.%' AND event_type <> 'approval.voted'
    ORDER BY approval_id, position DESC
) AS fact WHERE fact.approval_id = row.id
"""


class Migration(migrations.Migration):
    dependencies = [("approvals", "0006_provider_changes"), ("runtime", "0008_causes")]

    operations = [
        migrations.AddField("approval", "last_event", models.UUIDField(null=True)),
        migrations.RunSQL(APPROVALS, migrations.RunSQL.noop),
    ]
