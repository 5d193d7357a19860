"""An agent's session: its items, the appends that brought them, and the appends that were meant."""

from __future__ import annotations

from django.db import models

from runtime.ids import new_id
from runtime.models.identity import Workspace
from runtime.models.run import NO_DIGEST, Run


class AgentSession(models.Model):
    """The history of one run's agent; its row is the lock of its appends."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    run = models.OneToOneField(Run, models.PROTECT, related_name="session")
    epoch = models.PositiveIntegerField(default=1)
    revision = models.PositiveBigIntegerField(default=0)
    count = models.PositiveBigIntegerField(default=0)
    digest = models.CharField(max_length=64, default=NO_DIGEST)

    def __str__(self) -> str:
        return f"session {self.id} at {self.revision}"


class SessionAppend(models.Model):
    """One revision of a session."""

    session = models.ForeignKey(AgentSession, models.PROTECT, related_name="appends")
    revision = models.PositiveBigIntegerField()
    attempt_token = models.CharField(max_length=200)
    appended_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["session", "revision"], name="one_append_per_session_revision"
            ),
            models.UniqueConstraint(
                fields=["session", "attempt_token"], name="one_append_per_attempt_token"
            ),
        ]

    def __str__(self) -> str:
        return f"revision {self.revision} of {self.session_id}"


class SessionItem(models.Model):
    """One item as text: jsonb would change its numbers."""

    session = models.ForeignKey(AgentSession, models.PROTECT, related_name="items")
    append = models.ForeignKey(SessionAppend, models.PROTECT, related_name="items")
    number = models.PositiveBigIntegerField()
    text = models.TextField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["session", "number"], name="one_item_per_number")
        ]

    def __str__(self) -> str:
        return f"item {self.number} of {self.session_id}"


class SessionWrite(models.Model):
    """An append as it was meant, on record before it is tried; what became of it the log says."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    run = models.ForeignKey(Run, models.PROTECT, related_name="+")
    session = models.UUIDField()
    implementation = models.CharField(max_length=60)
    namespace = models.CharField(max_length=200)
    epoch = models.PositiveIntegerField()
    base_revision = models.PositiveBigIntegerField()
    before_count = models.PositiveBigIntegerField()
    before_digest = models.CharField(max_length=64)
    batch = models.JSONField()
    batch_digest = models.CharField(max_length=64)
    attempt_token = models.CharField(max_length=200)
    serialization = models.PositiveIntegerField()
    scheme = models.CharField(max_length=60)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "attempt_token"], name="one_session_write_per_attempt_token"
            )
        ]

    def __str__(self) -> str:
        return f"write {self.id}"
