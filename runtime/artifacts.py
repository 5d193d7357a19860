"""Arguments too large for the log: kept as an artifact, which the envelope of a fact names."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final, Protocol
from uuid import UUID

from runtime import texts
from runtime.canonical import canonical, digest
from runtime.event_log import LockedRun
from runtime.models import Artifact

# Of canonical JSON: what is longer is an artifact. What is not stands in the fact, which has room
# for it beside all the evidence that a proposal may bring.
MOST_INLINE_BYTES: Final = 22_528
MEDIA_TYPE: Final = "application/json"
Arguments = dict[str, Any]


class WithArguments(Protocol):
    """A call, or an approval of one."""

    @property
    def pk(self) -> Any: ...  # noqa: ANN401 - as Django has it
    @property
    def arguments(self) -> str: ...
    @property
    def artifact(self) -> UUID | None: ...


def keep_large(locked: LockedRun, kept: texts.Keeper, arguments: Arguments) -> UUID | None:
    """Keep arguments that no fact has room for, with the other texts of their proposal."""
    text = canonical(arguments)
    size = len(text.encode())
    if size <= MOST_INLINE_BYTES:
        return None
    content = kept.keep(text)
    Artifact.objects.create(
        content_id=content.id,
        workspace_id=locked.run.workspace_id,
        run=locked.run,
        digest=digest(arguments),
        media_type=MEDIA_TYPE,
        size=size,
        created_at=locked.now,
    )
    return content.id


def read_arguments(rows: Iterable[WithArguments]) -> dict[UUID, Arguments | None]:
    """Answer the arguments of each row; None where they were erased.

    One query more where any of them is an artifact, however many there are.
    """
    found = list(rows)
    large = texts.read_texts(row.artifact for row in found)
    return {row.pk: _read(row, large) for row in found}


def arguments_of(row: WithArguments) -> Arguments | None:
    return read_arguments([row])[row.pk]


def _read(row: WithArguments, large: dict[UUID, str]) -> Arguments | None:
    text = row.arguments if row.artifact is None else large.get(row.artifact, texts.ERASED)
    if text == texts.ERASED:
        return None
    arguments: Arguments = json.loads(text)
    return arguments
