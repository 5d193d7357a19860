"""What announces facts: the outbox, its numbers, and how far each consumer has come."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from runtime.models.identity import Workspace
from runtime.models.log import Event
from runtime.models.run import Run


class Outbox(models.Model):
    """Written with its fact; a relay gives it the workspace's next number."""

    id = models.BigAutoField(primary_key=True)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    run = models.ForeignKey(Run, models.PROTECT, related_name="+")
    position = models.PositiveBigIntegerField()
    pos = models.PositiveBigIntegerField(null=True)
    # No column of its own: the fact at this position of this run.
    event = models.ForeignObject(
        Event,
        models.DO_NOTHING,
        from_fields=["run", "position"],
        to_fields=["run", "position"],
        related_name="+",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "pos"], name="one_outbox_row_per_number"),
            models.UniqueConstraint(fields=["run", "position"], name="one_outbox_row_per_event"),
        ]
        indexes = [
            models.Index(
                fields=["workspace", "id"], name="outbox_not_numbered", condition=Q(pos=None)
            )
        ]

    def __str__(self) -> str:
        return f"outbox {self.pos}"


class WorkspaceFeed(models.Model):
    """How far a workspace's outbox is numbered; its lock is the relays' fence."""

    workspace = models.OneToOneField(
        Workspace, models.PROTECT, primary_key=True, related_name="feed"
    )
    pos = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return f"feed at {self.pos}"


class Consumer(models.Model):
    """How far something that follows a feed has come; moved with what it writes."""

    name = models.CharField(max_length=40)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    pos = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["name", "workspace"], name="one_cursor_per_consumer_and_workspace"
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} at {self.pos}"
