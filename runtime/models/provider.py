"""The outside world as last seen: accounts, payments, observations, reservations."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from runtime.ids import new_id
from runtime.models.identity import Workspace
from runtime.models.run import Run, ToolCall


class ProviderAccount(models.Model):
    """How to reach a provider, and how to know its voice: by a secret that may not be set yet.

    Both secrets are encrypted; the one that pays is opened by workers alone.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    provider = models.CharField(max_length=20)
    label = models.SlugField(max_length=60)
    api_base = models.URLField(max_length=200)
    secret = models.BinaryField()
    webhook_secret = models.BinaryField(null=True)
    profile = models.CharField(max_length=20, default="key_and_lookup")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "provider"], name="one_account_per_provider"
            )
        ]

    def __str__(self) -> str:
        return f"{self.provider} {self.label}"


class Payment(models.Model):
    """A payment that calls compete for; its row is the last lock anybody takes."""

    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    target = models.CharField(max_length=200)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "target"], name="one_row_per_payment")
        ]

    def __str__(self) -> str:
        return self.target


class Reservation(models.Model):
    """What one dispatched call may still take from its payment."""

    tool_call = models.OneToOneField(
        ToolCall, models.PROTECT, primary_key=True, related_name="reservation"
    )
    payment = models.ForeignKey(Payment, models.PROTECT, related_name="reservations")
    amount_minor = models.BigIntegerField()
    released_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["payment"], name="reservations_open", condition=Q(released_at=None)
            )
        ]

    def __str__(self) -> str:
        return f"{self.amount_minor} reserved"


class Observation(models.Model):
    """What a provider said a payment was, at one moment, for one call."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    run = models.ForeignKey(Run, models.PROTECT, related_name="+")
    tool_call = models.ForeignKey(ToolCall, models.PROTECT, related_name="observations")
    as_of = models.DateTimeField()
    digest = models.CharField(max_length=64)
    content = models.TextField()

    class Meta:
        indexes = [models.Index(fields=["tool_call", "-as_of"], name="observations_newest_first")]

    def __str__(self) -> str:
        return f"observed at {self.as_of}"
