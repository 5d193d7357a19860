"""Receipts are found by what their commands were about."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("runtime", "0010_personal_keys")]

    operations = [
        migrations.AddIndex("receipt", models.Index(fields=["target"], name="receipts_by_target")),
    ]
