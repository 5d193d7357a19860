"""What people may ask of an approval. A command states an intent, never a state."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from approvals.states import Decision, ReasonCode

CommandId = Annotated[str, Field(min_length=1, max_length=200)]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Note = Annotated[str, Field(min_length=1, max_length=10_000)]


class Command(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    command_id: CommandId


class DecideApproval(Command):
    """An answer, with the revision and digest its author was looking at."""

    decision: Decision
    revision: Annotated[int, Field(strict=True, ge=1)]
    digest: Digest
    reason_code: ReasonCode | None = None
    note: Note | None = None


class RevokeApproval(Command):
    """Take a grant back, or the question itself while it is still open."""

    reason: Note
