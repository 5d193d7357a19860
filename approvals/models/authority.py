"""How much a group may approve. No row, no authority."""

from __future__ import annotations

from django.db import models

from approvals.models.membership import LimitGroup
from runtime.models import Workspace


class Authority(models.Model):
    """Limits in minor units of one currency; null is without limit."""

    group = models.ForeignKey(LimitGroup, models.PROTECT, related_name="authority")
    capability = models.CharField(max_length=100)
    currency = models.CharField(max_length=3)
    limit_minor = models.BigIntegerField(null=True)
    day_limit_minor = models.BigIntegerField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["group", "capability", "currency"],
                name="one_limit_per_group_capability_and_currency",
            )
        ]

    def __str__(self) -> str:
        return f"{self.group} {self.currency}"


class AuthorityUsage(models.Model):
    """A lock on what has been used of a limit: one row per order, one per person.

    The sums are taken from the approvals themselves while this row is locked.
    """

    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    key = models.CharField(max_length=80)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "key"], name="one_lock_per_usage")
        ]

    def __str__(self) -> str:
        return self.key
