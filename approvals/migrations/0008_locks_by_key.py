"""Orders are known by keyed digests now: the locks that were named by plain ones go."""

from __future__ import annotations

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("approvals", "0007_causes"),
        ("runtime", "0013_runs_by_person"),
    ]

    operations = [
        migrations.RunSQL(
            "DELETE FROM approvals_authorityusage WHERE key LIKE 'order:%'",
            migrations.RunSQL.noop,
        ),
    ]
