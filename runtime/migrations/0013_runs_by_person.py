"""Runs are of a person, and orders are known by a keyed digest: no row has an order's id any more."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import migrations, models

from runtime.canonical import canonical, keyed_digest

if TYPE_CHECKING:
    from django.apps.registry import Apps
    from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def name_by_key(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    """Fingerprints are keyed by what the data key was when there were none yet."""
    run, key = apps.get_model("runtime", "Run"), apps.get_model("runtime", "PersonalKey")
    first = settings.DATA_KEYS[-1].encode()
    named = run.objects.exclude(order_id=None).values_list("order_id", flat=True)
    for order_id in named.order_by().distinct():
        was = hashlib.sha256(order_id.encode()).hexdigest()
        now = keyed_digest(first, canonical({"order": order_id}))
        run.objects.filter(order_id=order_id).update(order_key=now, about=f"order:{now}")
        key.objects.filter(subject=f"order:{was}").update(subject=f"order:{now}")


class Migration(migrations.Migration):
    dependencies = [
        ("runtime", "0012_consumers"),
    ]

    operations = [
        migrations.AddField(
            model_name="run",
            name="about",
            field=models.CharField(max_length=100, null=True),
        ),
        migrations.RunPython(name_by_key, migrations.RunPython.noop),
        migrations.RemoveField(
            model_name="run",
            name="order_id",
        ),
        migrations.AddIndex(
            model_name="run",
            index=models.Index(fields=["workspace", "about"], name="runs_by_person"),
        ),
    ]
