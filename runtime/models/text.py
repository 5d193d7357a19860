"""Personal text, kept apart from the log so that it can be erased."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from runtime.ids import new_id
from runtime.models.identity import Workspace


class PersonalKey(models.Model):
    """The key of everything kept about one person; without it, all that is noise.

    An erased one stays as a tombstone, and what is written later has another.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    subject = models.CharField(max_length=100)
    wrapped = models.BinaryField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "subject"],
                condition=Q(wrapped__isnull=False),
                name="one_living_key_per_person",
            )
        ]

    def __str__(self) -> str:
        return f"key {self.id}"


class PersonalText(models.Model):
    """One text about a person, or by one; erasing either empties the row and leaves its id."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    key = models.ForeignKey(PersonalKey, models.PROTECT, related_name="+")
    author_key = models.ForeignKey(PersonalKey, models.PROTECT, null=True, related_name="+")
    ciphertext = models.BinaryField(null=True)
    digest_key = models.BinaryField(null=True)

    def __str__(self) -> str:
        return f"text {self.id}"


class FingerprintKey(models.Model):
    """The one key of all fingerprints: wrapped anew at times, and never another."""

    id = models.PositiveSmallIntegerField(primary_key=True)
    wrapped = models.BinaryField()

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(id=1), name="one_fingerprint_key")]

    def __str__(self) -> str:
        return "fingerprint key"
