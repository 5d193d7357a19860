"""What people may ask of an approval. A command states an intent, never a state."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from approvals.states import Decision, ReasonCode
from runtime.evidence import EvidenceText
from runtime.states import SettledAs, VerificationStatus

CommandId = Annotated[str, Field(min_length=1, max_length=200)]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Note = Annotated[str, Field(min_length=1, max_length=10_000)]


class EvidencePiece(BaseModel):
    """Something to look at: words, an address, or both."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    label: Annotated[str, Field(min_length=1, max_length=200)] = "Evidence"
    text: Note | None = None
    url: Annotated[str, Field(min_length=1, max_length=2_000)] | None = None

    @model_validator(mode="after")
    def _shows_something(self) -> Self:
        if self.text is None and self.url is None:
            raise PydanticCustomError("nothing_shown", "Give a text, a url or both")
        return self


def _pieces(given: Any) -> Any:  # noqa: ANN401 - not validated yet
    """Words alone are one piece, and one piece is a list of one."""
    match given:
        case str():
            return [{"text": given}]
        case dict() | EvidencePiece():
            return [given]
        case _:
            return given


Evidence = Annotated[
    tuple[EvidencePiece, ...],
    Field(min_length=1, max_length=20),
    BeforeValidator(_pieces, json_schema_input_type=Note | EvidencePiece | list[EvidencePiece]),
]


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


class Statement(Command):
    """What an admin says of a call, and what they show for it."""

    evidence: Evidence

    @property
    def pieces(self) -> tuple[EvidenceText, ...]:
        return tuple(EvidenceText(**piece.model_dump()) for piece in self.evidence)


class SettleCall(Statement):
    """What became of a call on the desk; `result_ref` is the provider's id of the effect."""

    outcome: SettledAs
    reason: Note
    result_ref: Annotated[str, Field(min_length=1, max_length=200)] | None = None


class ObserveOutcome(Statement):
    """What was seen of the effect itself."""

    status: Literal["confirmed_success", "confirmed_failure"]

    @property
    def confirmed(self) -> VerificationStatus:
        return VerificationStatus(self.status)
