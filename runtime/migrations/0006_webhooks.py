from __future__ import annotations

import django.db.models.deletion
import runtime.ids
from runtime.guards import append_only
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("runtime", "0005_sessions"),
    ]

    operations = [
        migrations.CreateModel(
            name="Case",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=runtime.ids.new_id,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("failed_after_success", "failed_after_success"),
                            ("effect_after_failure", "effect_after_failure"),
                        ],
                        max_length=30,
                    ),
                ),
                ("owner", models.CharField(max_length=20)),
                ("opened_at", models.DateTimeField()),
                ("closed_at", models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Notice",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=runtime.ids.new_id,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("event_id", models.CharField(max_length=200)),
                ("event_type", models.CharField(max_length=100)),
                ("object_ref", models.CharField(max_length=200, null=True)),
                ("payment", models.CharField(max_length=200, null=True)),
                ("external_request_id", models.CharField(max_length=64, null=True)),
                ("said_at", models.DateTimeField()),
                ("received_at", models.DateTimeField()),
            ],
        ),
        migrations.AddField(
            model_name="provideraccount",
            name="webhook_secret",
            field=models.BinaryField(null=True),
        ),
        migrations.AlterField(
            model_name="timer",
            name="run",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="runtime.run",
            ),
        ),
        migrations.AddIndex(
            model_name="toolcall",
            index=models.Index(fields=["workspace", "target"], name="calls_by_payment"),
        ),
        migrations.AddField(
            model_name="case",
            name="run",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="cases", to="runtime.run"
            ),
        ),
        migrations.AddField(
            model_name="case",
            name="tool_call",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="cases",
                to="runtime.toolcall",
            ),
        ),
        migrations.AddField(
            model_name="case",
            name="workspace",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="runtime.workspace",
            ),
        ),
        migrations.AddField(
            model_name="notice",
            name="account",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="notices",
                to="runtime.provideraccount",
            ),
        ),
        migrations.AddIndex(
            model_name="case",
            index=models.Index(
                condition=models.Q(("closed_at", None)),
                fields=["workspace", "opened_at"],
                name="cases_open",
            ),
        ),
        migrations.AddConstraint(
            model_name="case",
            constraint=models.UniqueConstraint(
                condition=models.Q(("closed_at", None)),
                fields=("tool_call",),
                name="one_open_case_per_call",
            ),
        ),
        migrations.AddConstraint(
            model_name="notice",
            constraint=models.UniqueConstraint(
                fields=("account", "event_id"), name="one_notice_per_provider_event"
            ),
        ),
        migrations.RunSQL(*append_only("runtime_notice")),
    ]
