from __future__ import annotations

import runtime.states
from runtime.guards import append_only, given_once
from django.db import migrations, models

GUARD, NO_GUARD = append_only("runtime_notice")
TAKEN = """
    UPDATE runtime_notice SET taken_at = received_at WHERE NOT EXISTS (
        SELECT FROM runtime_timer WHERE kind = 'notice.take' AND subject = runtime_notice.id
    )
"""
CONFIRMED = """
    UPDATE runtime_toolcall SET confirmed_at = confirmed.at
    FROM (
        SELECT tool_call_id, max(occurred_at) AS at FROM runtime_event
        WHERE event_type = 'outcome.confirmed_success' GROUP BY tool_call_id
    ) AS confirmed
    WHERE runtime_toolcall.id = confirmed.tool_call_id
"""


class Migration(migrations.Migration):
    dependencies = [
        ("runtime", "0013_runs_by_person"),
    ]

    operations = [
        migrations.CreateModel(
            name="Sweep",
            fields=[
                ("name", models.CharField(max_length=40, primary_key=True, serialize=False)),
                ("due_at", models.DateTimeField()),
            ],
        ),
        migrations.AddField(
            model_name="notice",
            name="taken_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="toolcall",
            name="confirmed_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.RunSQL(NO_GUARD, GUARD),
        migrations.RunSQL(TAKEN, migrations.RunSQL.noop),
        migrations.RunSQL(*given_once("runtime_notice", "taken_at")),
        migrations.RunSQL(CONFIRMED, migrations.RunSQL.noop),
        migrations.AddIndex(
            model_name="notice",
            index=models.Index(
                condition=models.Q(("taken_at", None)),
                fields=["received_at"],
                name="notices_not_taken",
            ),
        ),
        migrations.AddIndex(
            model_name="run",
            index=models.Index(
                condition=models.Q(
                    ("ended_as", None), ("session_doubt", None), ("session_write__isnull", False)
                ),
                fields=["id"],
                name="runs_with_an_open_append",
            ),
        ),
        migrations.AddIndex(
            model_name="toolcall",
            index=models.Index(
                condition=models.Q(
                    (
                        "execution_status__in",
                        [
                            runtime.states.CallStatus["AUTHORIZED"],
                            runtime.states.CallStatus["DISPATCHING"],
                            runtime.states.CallStatus["RESULT_UNKNOWN"],
                            runtime.states.CallStatus["RECONCILING"],
                        ],
                    ),
                    models.Q(
                        (
                            "execution_status__in",
                            [
                                runtime.states.CallStatus["ACCEPTED"],
                                runtime.states.CallStatus["COMPLETED"],
                            ],
                        ),
                        ("verification_status", runtime.states.VerificationStatus["PENDING"]),
                    ),
                    _connector="OR",
                ),
                fields=["id"],
                name="calls_under_way",
            ),
        ),
        migrations.AddIndex(
            model_name="toolcall",
            index=models.Index(
                condition=models.Q(
                    ("verification_status", runtime.states.VerificationStatus["CONFIRMED_SUCCESS"])
                ),
                fields=["confirmed_at"],
                name="calls_watched",
            ),
        ),
        migrations.AddIndex(
            model_name="toolcall",
            index=models.Index(
                condition=models.Q(("execution_status", runtime.states.CallStatus["PROPOSED"])),
                fields=["proposed_at"],
                name="calls_proposed",
            ),
        ),
    ]
