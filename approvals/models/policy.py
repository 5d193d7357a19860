"""The rules in force: one row per version, never edited once written."""

from __future__ import annotations

from django.db import models

from runtime.ids import new_id
from runtime.models import Person, Workspace


class PolicyVersion(models.Model):
    """No author: the operator wrote it, as a workspace's first."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    name = models.SlugField(max_length=60)
    version = models.PositiveIntegerField()
    document = models.JSONField()
    author = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+")
    written_at = models.DateTimeField()
    activated_at = models.DateTimeField(null=True)
    withdrawn_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "name", "version"], name="one_row_per_policy_version"
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} version {self.version}"
