"""Rows know the last event that changed them: what happens next to them comes of it."""

from __future__ import annotations

from django.db import migrations, models

# What changes no row of a call, and an attempt opened while its call was being sent anyway.
CALLS = """
UPDATE runtime_toolcall AS row SET last_event = fact.event_id FROM (
    SELECT DISTINCT ON (tool_call_id) tool_call_id, event_id FROM (
        SELECT *, lag(event_type) OVER (PARTITION BY tool_call_id ORDER BY position) AS earlier
        FROM runtime_event
        WHERE tool_call_id IS NOT NULL
            AND event_type NOT LIKE 'approval.%' AND event_type NOT LIKE 'case.%'
            AND event_type NOT IN (
                'payment.observed', 'policy.decided', 'outcome.observed', 'tool.call.settled',
                'tool.call.cancellation_requested', 'tool.call.found_irreversible',
                'tool.attempt.sent', 'tool.attempt.closed', 'tool.attempt.answered_late'
            )
    ) AS moves
    WHERE event_type <> 'tool.attempt.opened'
        OR earlier NOT IN ('tool.call.dispatching', 'tool.attempt.opened')
    ORDER BY tool_call_id, position DESC
) AS fact WHERE fact.tool_call_id = row.id
"""
ATTEMPTS = """
UPDATE runtime_attempt AS row SET last_event = fact.event_id FROM (
    SELECT DISTINCT ON (attempt_id) attempt_id, event_id FROM runtime_event
    WHERE event_type IN ('tool.attempt.opened', 'tool.attempt.sent', 'tool.attempt.closed')
    ORDER BY attempt_id, position DESC
) AS fact WHERE fact.attempt_id = row.id
"""
RUNS = """
UPDATE runtime_run AS row SET last_event = fact.event_id FROM (
    SELECT DISTINCT ON (run_id) run_id, event_id FROM runtime_event
    WHERE tool_call_id IS NULL ORDER BY run_id, position DESC
) AS fact WHERE fact.run_id = row.id
"""


class Migration(migrations.Migration):
    dependencies = [("runtime", "0007_session_guards")]

    operations = [
        migrations.AddField("attempt", "last_event", models.UUIDField(null=True)),
        migrations.AddField("run", "last_event", models.UUIDField(null=True)),
        migrations.AddField("toolcall", "last_event", models.UUIDField(null=True)),
        migrations.RunSQL([CALLS, ATTEMPTS, RUNS], migrations.RunSQL.noop),
        migrations.AddIndex(
            "event",
            models.Index(
                fields=["causation_id"],
                name="events_by_cause",
                condition=models.Q(causation_id__isnull=False),
            ),
        ),
    ]
