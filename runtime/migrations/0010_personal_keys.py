from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("runtime", "0009_outbox_guard"),
    ]

    operations = [
        migrations.CreateModel(
            name="FingerprintKey",
            fields=[
                ("id", models.PositiveSmallIntegerField(primary_key=True, serialize=False)),
                ("wrapped", models.BinaryField()),
            ],
        ),
        migrations.RemoveConstraint(
            model_name="personalkey",
            name="one_key_per_person",
        ),
        migrations.AddField(
            model_name="personaltext",
            name="author_key",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="runtime.personalkey",
            ),
        ),
        migrations.AddConstraint(
            model_name="personalkey",
            constraint=models.UniqueConstraint(
                condition=models.Q(("wrapped__isnull", False)),
                fields=("workspace", "subject"),
                name="one_living_key_per_person",
            ),
        ),
        migrations.AddConstraint(
            model_name="fingerprintkey",
            constraint=models.CheckConstraint(
                condition=models.Q(("id", 1)), name="one_fingerprint_key"
            ),
        ),
    ]
