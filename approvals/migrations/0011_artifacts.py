"""A question names the artifact that has its arguments, where they are large."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("approvals", "0010_evidence_taken")]

    operations = [
        migrations.AddField("approval", "artifact", models.UUIDField(null=True)),
    ]
