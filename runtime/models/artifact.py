"""What is too large for the log, and is named in it instead."""

from __future__ import annotations

from django.db import models

from runtime.models.identity import Workspace
from runtime.models.run import Run
from runtime.models.text import PersonalText


class Artifact(models.Model):
    """Its content is a personal text of whomever the run is about, and is erased like one."""

    content = models.OneToOneField(PersonalText, models.PROTECT, primary_key=True, related_name="+")
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    run = models.ForeignKey(Run, models.PROTECT, related_name="artifacts")
    digest = models.CharField(max_length=64)
    media_type = models.CharField(max_length=100)
    size = models.PositiveIntegerField()
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"artifact {self.pk}"
