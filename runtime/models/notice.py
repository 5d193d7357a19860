"""What providers told us of their own accord: reasons to look, never facts about money."""

from __future__ import annotations

from django.db import models

from runtime.ids import new_id
from runtime.models.provider import ProviderAccount


class Notice(models.Model):
    """One signed event of a provider, kept once: which objects it names, and nothing about them.

    A trigger refuses every change but one: that it was looked at, which is said once.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    account = models.ForeignKey(ProviderAccount, models.PROTECT, related_name="notices")
    event_id = models.CharField(max_length=200)
    event_type = models.CharField(max_length=100)
    object_ref = models.CharField(max_length=200, null=True)
    payment = models.CharField(max_length=200, null=True)
    external_request_id = models.CharField(max_length=64, null=True)
    said_at = models.DateTimeField()
    received_at = models.DateTimeField()
    taken_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["account", "event_id"], name="one_notice_per_provider_event"
            )
        ]
        indexes = [
            models.Index(
                fields=["received_at"], name="notices_not_taken", condition=models.Q(taken_at=None)
            )
        ]

    def __str__(self) -> str:
        return f"{self.event_type} {self.event_id}"
