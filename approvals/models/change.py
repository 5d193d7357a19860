"""Who changed what about a workspace, and when: added to, never edited."""

from __future__ import annotations

from django.db import models

from approvals.states import ChangeKind
from runtime.ids import new_id
from runtime.models import Workspace


class WorkspaceChange(models.Model):
    """One change of people, tokens, limits or rules; it holds ids, never names of people.

    `actor` is `person:<id>`, or `operator`: whoever runs commands beside the database.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="changes")
    kind = models.CharField(
        max_length=40, choices=[(kind.value, kind.value) for kind in ChangeKind]
    )
    subject = models.CharField(max_length=250)
    actor = models.CharField(max_length=100)
    surface = models.CharField(max_length=20)
    token = models.UUIDField(null=True)
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)
    changed_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["workspace", "kind", "subject"], name="changes_by_subject")]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}"
