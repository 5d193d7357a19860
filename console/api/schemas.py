"""What programs send, field for field; anything more is refused."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

from approvals.access import Scope
from approvals.administration import ChangeMember, ErasePerson, MovePolicy, SetAuthority
from approvals.commands import DecideApproval, ObserveOutcome, RevokeApproval, SettleCall
from approvals.policies import PolicyDocument
from runtime.handlers.run_commands import RunCommandKind
from runtime.session_events import Repair
from runtime.sessions.digests import BACKEND_KEY


def _printable(text: str) -> str:
    if not text.isprintable():
        raise PydanticCustomError("printable", "Only printable characters")
    return text


def _without_backend_keys(item: dict[str, Any]) -> dict[str, Any]:
    if any(key.startswith(BACKEND_KEY) for key in item):
        raise PydanticCustomError("backend_key", "Keys that begin with _ are a store's own")
    return item


Text = Annotated[str, Field(min_length=1)]
Name = Annotated[
    str, Field(min_length=1, max_length=200, description="Printable"), AfterValidator(_printable)
]
RequestKeyText = Annotated[str, Field(pattern=r"^[\x20-\x7e]{1,255}$")]
Seconds = Annotated[int, Field(ge=1, le=2**31 - 1)]


class Body(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Subject(Body):
    """What the run is about; whatever else stands there is kept as it is.

    `customer` names the person by any lasting reference, so that they can be erased as one.
    """

    model_config = ConfigDict(extra="allow")

    order_id: Text
    customer: Annotated[Text | None, Field(exclude_if=lambda named: named is None)] = None


class Ticket(Body):
    ref: Text
    author: Text


class RunBody(Body):
    agent: Name
    goal: Text
    success_criterion: Text
    subject: Subject
    initiator: Text | None = None
    ticket: Ticket | None = None
    harness: Literal["internal", "external"]


class EvidenceBody(Body):
    label: Text
    text: str | None = None
    url: str | None = None


class ReasoningBody(Body):
    summary: Text
    evidence: Annotated[tuple[EvidenceBody, ...], Field(max_length=100)]


class ToolCallBody(Body):
    capability: Annotated[str, Field(min_length=1, max_length=100)]
    intent: Name
    arguments: dict[str, Any]
    turn_id: Name | None = None
    decide_within_s: Seconds | None = None
    reasoning: ReasoningBody


class CommandBody(Body):
    command_id: Name
    kind: RunCommandKind
    tool_call: UUID | None = None
    outcome: Text | None = None
    reason: Text | None = None


Item = Annotated[dict[str, Any], AfterValidator(_without_backend_keys)]


class ContinuationBody(Body):
    """Nothing: what the gates go by is on record."""


class AppendBody(Body):
    base_revision: Annotated[int, Field(ge=0, le=2**53 - 1)]
    attempt_token: Name
    items: Annotated[tuple[Item, ...], Field(min_length=1, max_length=1000)]


class RepairBody(Body):
    command_id: Name
    action: Repair
    reason: Annotated[str, Field(min_length=1, max_length=10_000)]


class DecisionBody(DecideApproval):
    command_id: Name


class RevocationBody(RevokeApproval):
    command_id: Name


class SettlementBody(SettleCall):
    command_id: Name
    result_ref: Name | None = None


class ObservationBody(ObserveOutcome):
    command_id: Name


class PolicyMoveBody(MovePolicy):
    command_id: Name


# Bodies that are what their handlers take, under the names the document gives bodies.
class MemberBody(ChangeMember):
    pass


class AuthorityBody(SetAuthority):
    pass


class PolicyBody(PolicyDocument):
    pass


class ErasureBody(ErasePerson):
    command_id: Name


class TokenBody(Body):
    user: Text
    scopes: Annotated[tuple[Scope, ...], Field(min_length=1, max_length=4)]
    expires: AwareDatetime | None = None
