"""The append-only log, and the receipts of commands."""

from __future__ import annotations

from django.db import models
from django.db.models import JSONField, Q
from django.db.models.functions import Cast

from runtime.ids import new_id
from runtime.models.identity import Person, Workspace
from runtime.models.run import Run


class Event(models.Model):
    """One fact; a trigger refuses every change, for every role."""

    event_id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    run = models.ForeignKey(Run, models.PROTECT, related_name="events")
    position = models.PositiveBigIntegerField()
    event_type = models.CharField(max_length=100)
    schema_version = models.PositiveSmallIntegerField()
    producer = models.CharField(max_length=100)
    actor = models.CharField(max_length=100)
    turn_id = models.CharField(max_length=200, null=True)
    reasoning_object_id = models.UUIDField(null=True)
    capability_id = models.CharField(max_length=100, null=True)
    policy_decision_id = models.UUIDField(null=True)
    approval_id = models.UUIDField(null=True)
    tool_call_id = models.UUIDField(null=True)
    attempt_id = models.UUIDField(null=True)
    artifact_id = models.UUIDField(null=True)
    feedback_id = models.UUIDField(null=True)
    correlation_id = models.CharField(max_length=200)
    causation_id = models.UUIDField(null=True)
    occurred_at = models.DateTimeField()
    recorded_at = models.DateTimeField()
    body = models.TextField()
    payload = models.GeneratedField(
        expression=Cast("body", JSONField()), output_field=JSONField(), db_persist=True
    )
    prev_hash = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)

    class Meta:
        ordering = ["run", "position"]
        constraints = [
            models.UniqueConstraint(fields=["run", "position"], name="one_event_per_position"),
            models.CheckConstraint(condition=Q(position__gte=1), name="positions_start_at_one"),
        ]
        indexes = [
            models.Index(fields=["run", "tool_call_id", "position"], name="events_by_call"),
            models.Index(
                fields=["causation_id"],
                name="events_by_cause",
                condition=Q(causation_id__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event_type} at {self.position}"


class Receipt(models.Model):
    """What became of one command; written in the transaction of what it did."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    actor = models.ForeignKey(Person, models.PROTECT, related_name="+")
    command_id = models.CharField(max_length=200)
    kind = models.CharField(max_length=40)
    target = models.UUIDField()
    body_digest = models.CharField(max_length=64)
    surface = models.CharField(max_length=20)
    token = models.UUIDField(null=True)
    status = models.CharField(max_length=10)
    http_status = models.PositiveSmallIntegerField()
    code = models.CharField(max_length=60)
    detail = models.TextField()
    extra = models.JSONField(default=dict)
    note = models.UUIDField(null=True)
    event_positions = models.JSONField(default=list)
    received_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "actor", "command_id"], name="one_receipt_per_command"
            ),
            models.CheckConstraint(
                condition=Q(status__in=["applied", "refused"]),
                name="a_receipt_is_applied_or_refused",
            ),
        ]
        indexes = [models.Index(fields=["target"], name="receipts_by_target")]

    def __str__(self) -> str:
        return f"{self.kind} {self.status}"


class RequestKey(models.Model):
    """An Idempotency-Key of the API, good for 24 hours."""

    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    actor = models.ForeignKey(Person, models.PROTECT, related_name="+")
    endpoint = models.CharField(max_length=60)
    key = models.CharField(max_length=255)
    body_digest = models.CharField(max_length=64)
    made = models.UUIDField()
    received_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "actor", "endpoint", "key"], name="one_row_per_request_key"
            )
        ]

    def __str__(self) -> str:
        return self.endpoint
