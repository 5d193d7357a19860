"""What is due when, and which processes were heard of lately."""

from __future__ import annotations

from django.db import models

from runtime.models.run import Run


class Timer(models.Model):
    """Something to look at when its time comes; it stays until the work clears it.

    What concerns no run in particular names none.
    """

    kind = models.CharField(max_length=40)
    run = models.ForeignKey(Run, models.PROTECT, null=True, related_name="+")
    subject = models.UUIDField()
    due_at = models.DateTimeField()
    fired = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "subject"], name="one_timer_per_kind_and_subject"
            )
        ]
        indexes = [models.Index(fields=["due_at"], name="timers_by_due_time")]

    def __str__(self) -> str:
        return f"{self.kind} at {self.due_at}"


class Sweep(models.Model):
    """When to look for missing timers of one kind again; its lock keeps relays from doubling it."""

    name = models.CharField(max_length=40, primary_key=True)
    due_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name} at {self.due_at}"


class Heartbeat(models.Model):
    """The last word of a process. Never a fact about a run."""

    owner = models.CharField(max_length=200, primary_key=True)
    kind = models.CharField(max_length=20)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.kind} {self.owner}"
