"""What runs are found by: digests only, so that the table tells nothing to whoever reads it."""

from __future__ import annotations

from django.db import models

from runtime.models.identity import Workspace
from runtime.models.run import Run, choices
from runtime.states import TermKind


class SearchTerm(models.Model):
    """That a run's facts name something; `digest` is keyed, of the workspace and the name."""

    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+", db_index=False)
    run = models.ForeignKey(Run, models.PROTECT, related_name="+")
    kind = models.CharField(max_length=10, choices=choices(TermKind))
    digest = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "digest", "run", "kind"], name="one_term_per_run_and_kind"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.run_id}"
