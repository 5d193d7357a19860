"""What many rows refer to, fetched once for all of them: names, texts, positions."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from django.db.models import Max

from approvals.models import PolicyVersion
from runtime import texts
from runtime.models import Event, Person, ToolCall

MASKED = "•••"
SYSTEM = "Countersign"


def names_of(ids: Iterable[UUID | None]) -> dict[UUID, str]:
    wanted = {each for each in ids if each is not None}
    return dict(Person.objects.filter(pk__in=wanted).values_list("pk", "username"))


class Texts:
    """Personal texts by id; whoever may not read them sees that there is one."""

    def __init__(self, ids: Iterable[UUID | None], *, masked: bool) -> None:
        wanted = {each for each in ids if each is not None}
        self.found = dict.fromkeys(wanted, MASKED) if masked else texts.read_texts(wanted)

    def get(self, key: UUID | None) -> str | None:
        return None if key is None else self.found.get(key, texts.ERASED)

    def say(self, key: UUID | None) -> str:
        return self.get(key) or ""


def positions_of(calls: Iterable[ToolCall]) -> dict[UUID, int]:
    """Answer the position of the newest fact about each call."""
    wanted = {call.pk: call.run_id for call in calls}
    rows = Event.objects.filter(run__in=set(wanted.values()), tool_call_id__in=wanted)
    newest = rows.order_by().values_list("tool_call_id").annotate(Max("position"))
    return {call_id: position for call_id, position in newest if call_id is not None}


def actors_of(actors: Iterable[str | None]) -> dict[str, str]:
    """Map `person:<id>`, `policy:<id>` and `system` to what people call them."""
    said = {actor: actor.partition(":") for actor in actors if actor}
    people = names_of(UUID(name) for kind, _, name in said.values() if kind == "person")
    rules = [UUID(name) for kind, _, name in said.values() if kind == "policy"]
    policies = {each.pk: f"policy {each}" for each in PolicyVersion.objects.filter(pk__in=rules)}
    names = {str(key): name for key, name in {**people, **policies}.items()}
    return {actor: names.get(name, SYSTEM) for actor, (_, _, name) in said.items()}
