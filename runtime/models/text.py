"""Personal text, kept apart from the log so that it can be erased."""

from __future__ import annotations

from django.db import models

from runtime.ids import new_id
from runtime.models.identity import Workspace


class PersonalKey(models.Model):
    """The key of everything kept about one person; without it, all that is noise."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    subject = models.CharField(max_length=100)
    wrapped = models.BinaryField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "subject"], name="one_key_per_person")
        ]

    def __str__(self) -> str:
        return f"key {self.id}"


class PersonalText(models.Model):
    """One text about or by a person; erasing empties the row and leaves its id."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    key = models.ForeignKey(PersonalKey, models.PROTECT, related_name="+")
    ciphertext = models.BinaryField(null=True)
    digest_key = models.BinaryField(null=True)

    def __str__(self) -> str:
        return f"text {self.id}"
