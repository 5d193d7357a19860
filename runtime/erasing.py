"""Destroy what is kept about a person: keys and texts go, ids and digests in the log stay."""

from __future__ import annotations

from uuid import UUID

from django.db.models import Q

from runtime.models import PersonalKey, PersonalText


def erase(workspace: UUID, subject: str) -> int:
    """Answer how many texts are gone; the caller is in a transaction.

    Whoever keeps a text under one of these keys right now is waited for, and what they
    kept goes with the rest; whoever comes later makes a new key.
    """
    living = PersonalKey.objects.filter(workspace=workspace, subject=subject, wrapped__isnull=False)
    keys = [key.pk for key in living.select_for_update()]
    texts = PersonalText.objects.filter(Q(key__in=keys) | Q(author_key__in=keys))
    erased = texts.exclude(ciphertext=None).update(ciphertext=None, digest_key=None)
    PersonalKey.objects.filter(pk__in=keys).update(wrapped=None)
    return erased
