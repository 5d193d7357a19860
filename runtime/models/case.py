"""What somebody has to look after, because the machine must not."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from runtime.ids import new_id
from runtime.models.identity import Workspace
from runtime.models.run import Run, ToolCall, choices
from runtime.states import CaseKind


class Case(models.Model):
    """An outcome that turned out to be another than what was said of it before."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    run = models.ForeignKey(Run, models.PROTECT, related_name="cases")
    tool_call = models.ForeignKey(ToolCall, models.PROTECT, related_name="cases")
    kind = models.CharField(max_length=30, choices=choices(CaseKind))
    owner = models.CharField(max_length=20)
    opened_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tool_call"], condition=Q(closed_at=None), name="one_open_case_per_call"
            )
        ]
        indexes = [
            models.Index(
                fields=["workspace", "opened_at"], name="cases_open", condition=Q(closed_at=None)
            )
        ]

    def __str__(self) -> str:
        return self.kind
