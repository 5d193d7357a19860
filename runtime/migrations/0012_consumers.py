from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("runtime", "0011_receipts_by_target"),
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
        migrations.CreateModel(
            name="SearchTerm",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("intent", "intent"),
                            ("payment", "payment"),
                            ("request", "request"),
                            ("result", "result"),
                        ],
                        max_length=10,
                    ),
                ),
                ("digest", models.CharField(max_length=64)),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="runtime.run",
                    ),
                ),
                (
                    "workspace",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="runtime.workspace",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("workspace", "digest", "run", "kind"),
                        name="one_term_per_run_and_kind",
                    )
                ],
            },
        ),
    ]
