from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("runtime", "0007_session_guards"),
    ]

    operations = [
        migrations.AddField(
            model_name="outbox",
            name="event",
            field=models.ForeignObject(
                from_fields=["run", "position"],
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="runtime.event",
                to_fields=["run", "position"],
            ),
        ),
        migrations.CreateModel(
            name="Consumer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=40)),
                ("pos", models.PositiveBigIntegerField(default=0)),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="runtime.workspace",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("name", "workspace"), name="one_cursor_per_consumer_and_workspace"
                    )
                ],
            },
        ),
    ]
