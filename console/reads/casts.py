"""Who and what a run is about, each under the name that its trajectory gives it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from approvals.models import Membership
from runtime.fingerprints import fingerprint
from runtime.models import Event, Run

LONG_ENOUGH = 16


class Cast:
    """People are roles, numbered as they appear; calls and approvals are numbers."""

    def __init__(self, run: Run, rows: Sequence[Event]) -> None:
        self.workspace = run.workspace_id
        self.calls = _numbered(row.tool_call_id for row in rows)
        self.approvals = _numbered(row.approval_id for row in rows)
        members = Membership.objects.filter(workspace=run.workspace_id)
        self._roles: dict[str, str] = {
            str(person): role for person, role in members.values_list("person", "role")
        }
        self._people: dict[str, str] = {}
        self._met: Counter[str] = Counter()

    def speaker(self, actor: str) -> str:
        """`person:<id>` or the id alone, `policy:<id>`, or `system`."""
        kind, _, name = actor.rpartition(":")
        if kind == "policy" or name == "system":
            return kind or name
        if name not in self._people:
            role = self._roles.get(name, "person")
            self._met[role] += 1
            self._people[name] = f"{role}-{self._met[role]}"
        return self._people[name]

    def pseudonym(self, kind: str, value: Any) -> str:  # noqa: ANN401 - any JSON value
        """The same for the same value of one workspace; only who has the key could try values."""
        said = fingerprint({"of": str(self.workspace), "kind": kind, "value": value})
        return f"{kind}-{said[:LONG_ENOUGH]}"


def _numbered(ids: Iterable[UUID | None]) -> dict[str, int]:
    named = dict.fromkeys(str(each) for each in ids if each is not None)
    return {key: number for number, key in enumerate(named, 1)}
