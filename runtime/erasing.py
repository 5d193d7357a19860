"""Destroy what is kept about a person: keys and texts go, ids and digests in the log stay."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q, QuerySet

from runtime.models import PersonalKey, PersonalText, RequestKey, Run, ToolCall
from runtime.states import CALL_FINAL


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """Keys that nobody can use until this transaction ends, and what they open."""

    keys: tuple[UUID, ...]
    runs: QuerySet[Run]

    @property
    def texts(self) -> QuerySet[PersonalText]:
        found = PersonalText.objects.filter(Q(key__in=self.keys) | Q(author_key__in=self.keys))
        return found.exclude(ciphertext=None)

    @property
    def open_calls(self) -> list[UUID]:
        """Calls about which somebody may still have to read what would be gone."""
        calls = ToolCall.objects.filter(run__in=self.runs).exclude(execution_status__in=CALL_FINAL)
        return list(calls.order_by("pk").values_list("pk", flat=True))


def hold(workspace: UUID, subjects: Collection[str]) -> Held:
    """Wait for whoever keeps a text under these keys; whoever comes later waits for us.

    What is read after this is all there is: no run has to be locked, which would have to
    come first.
    """
    keys = PersonalKey.objects.filter(
        workspace=workspace, subject__in=subjects, wrapped__isnull=False
    )
    held = keys.order_by("pk").select_for_update()
    return Held(keys=tuple(key.pk for key in held), runs=runs_about(workspace, subjects))


def runs_about(workspace: UUID, subjects: Collection[str]) -> QuerySet[Run]:
    kinds = [subject.partition(":") for subject in subjects]
    own = [UUID(name) for kind, _, name in kinds if kind == "run"]
    return Run.objects.filter(Q(about__in=subjects) | Q(pk__in=own), workspace=workspace)


def erase(held: Held) -> int:
    """Answer how many texts are gone; items of sessions stay as noise, for no key opens them."""
    RequestKey.objects.filter(made__in=held.runs.values("pk")).delete()
    erased = held.texts.update(ciphertext=None, digest_key=None)
    PersonalKey.objects.filter(pk__in=held.keys).update(wrapped=None)
    return erased
