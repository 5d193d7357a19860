"""What is too large for the log lies in artifacts, which never change; their texts are erased."""

from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models

from runtime.guards import append_only

GUARD, UNDO = append_only("runtime_artifact")


class Migration(migrations.Migration):
    dependencies = [("runtime", "0014_sweeps")]

    operations = [
        migrations.AddField("toolcall", "artifact", models.UUIDField(null=True)),
        migrations.CreateModel(
            name="Artifact",
            fields=[
                (
                    "content",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="runtime.personaltext",
                    ),
                ),
                ("digest", models.CharField(max_length=64)),
                ("media_type", models.CharField(max_length=100)),
                ("size", models.PositiveIntegerField()),
                ("created_at", models.DateTimeField()),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="artifacts",
                        to="runtime.run",
                    ),
                ),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="runtime.workspace",
                    ),
                ),
            ],
        ),
        migrations.RunSQL(GUARD, reverse_sql=UNDO),
    ]
