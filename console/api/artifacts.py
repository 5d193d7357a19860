"""Artifacts: what a run's facts name because it is too large to stand in them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from console.api.base import ApiView, answer, found
from console.api.runs import visible_runs
from console.api.schema import describe
from runtime import texts
from runtime.models import Artifact

State = Literal["readable", "masked", "erased"]
HIDDEN: Final[tuple[State, None]] = ("masked", None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactView:
    """`digest`: SHA-256 of the canonical content; `content` is null unless it is readable."""

    id: UUID
    run: UUID
    digest: str
    media_type: str
    size: int
    created_at: datetime
    state: State
    content: Any


class ArtifactResource(ApiView):
    @describe(
        "read_artifact",
        "One artifact of a run",
        answers={200: ArtifactView},
        problems={404: "not_found"},
    )
    def get(self, _request: Request, run_id: UUID, artifact_id: UUID) -> Response:
        run = found(visible_runs(self.caller), run_id)
        row = found(Artifact.objects.filter(run=run), artifact_id)
        return answer(_view(row, masked=self.caller.is_masked))


def _view(row: Artifact, *, masked: bool) -> ArtifactView:
    state, content = HIDDEN if masked else _content(row)
    return ArtifactView(
        id=row.pk,
        run=row.run_id,
        digest=row.digest,
        media_type=row.media_type,
        size=row.size,
        created_at=row.created_at,
        state=state,
        content=content,
    )


def _content(row: Artifact) -> tuple[State, Any]:
    text = texts.read_texts([row.pk])[row.pk]
    return ("erased", None) if text == texts.ERASED else ("readable", json.loads(text))
