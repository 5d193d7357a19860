"""The facts about a run's session and about who was let go on: digests and counts, no payload."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, Literal, get_args
from uuid import UUID

from runtime.event_types import Part, Payload, TextRef, event, upcasts

GateName = Literal["run", "session", "effect", "approval"]
Repair = Literal["adopt_observed", "append_pending", "discard_pending"]
GATES: Final[tuple[GateName, ...]] = get_args(GateName)


class Verdict(StrEnum):
    """What became of an append, or of a history at rest."""

    UNCHANGED = "unchanged"
    COMMITTED = "committed"
    COMMITTED_THEN_EXTENDED = "committed_then_extended"
    EXTENDED_BY_OTHERS = "extended_by_others"
    SUPERSEDED = "superseded"
    BASE_MOVED = "base_revision_moved"
    PARTIAL = "partial"
    DUPLICATE = "duplicate"
    TRUNCATED = "truncated"
    HEAD_REWRITTEN = "head_rewritten"
    HEAD_MISSTATED = "head_misstated"
    IDENTITY_MISMATCH = "identity_mismatch"
    UNREADABLE_VERSION = "unreadable_version"


class SessionHead(Part):
    """How far a history goes."""

    revision: int
    count: int
    digest: str


class CallStanding(Part):
    """How a call stood when the gates were asked."""

    tool_call: UUID
    status: str
    verification: str


class EndedCalls(Part):
    """Calls that ended: how many, and a digest over how each of them stood, in their order."""

    count: int
    digest: str


class Objection(Part):
    """A gate that stays shut, and why; `tool_call` where one call is the reason."""

    gate: GateName
    reason: str
    tool_call: UUID | None


@event("session.write_intended")
class SessionWriteIntended(Payload):
    """What an append means to add, on record before it is tried."""

    write: UUID
    session: UUID
    implementation: str
    namespace: str
    epoch: int
    before: SessionHead
    batch_count: int
    batch_digest: str
    serialization: int
    scheme: str


@event("session.write_classified")
class SessionWriteClassified(Payload):
    """What became of an append; `write` is None where none was open.

    `unchanged` leaves it open: it is made next.
    """

    write: UUID | None
    verdict: Verdict
    goes_on: bool
    seen: SessionHead


@event("session.repaired")
class SessionRepaired(Payload):
    """An admin said how a history in doubt goes on."""

    write: UUID | None
    action: Repair
    reason: TextRef
    head: SessionHead


class GatesAsked(Payload):
    """What the gates saw; `asked` names every one of them, open or shut."""

    asked: tuple[GateName, ...]
    session: SessionHead
    calls: tuple[CallStanding, ...]


class Continuation(GatesAsked):
    """`calls` are those that had not ended; `ended` is about the others."""

    ended: EndedCalls | None


@event("continuation.granted")
class ContinuationGrantedV1(GatesAsked):
    """Every gate was open: the agent may go on, once; `calls` are all there were."""

    grant: UUID


@event("continuation.granted", version=2)
class ContinuationGranted(Continuation):
    """Every gate was open: the agent may go on, once."""

    grant: UUID


@event("continuation.denied")
class ContinuationDeniedV1(GatesAsked):
    """A gate stays shut, and says why; `calls` are all there were."""

    gates: tuple[Objection, ...]


@event("continuation.denied", version=2)
class ContinuationDenied(Continuation):
    """A gate stays shut, and says why."""

    gates: tuple[Objection, ...]


@upcasts(ContinuationGrantedV1)
def _granted_with_all_calls_named(old: ContinuationGrantedV1) -> ContinuationGranted:
    """Calls that had ended are among `calls`, and `ended` is null."""
    return ContinuationGranted(**dict(old), ended=None)


@upcasts(ContinuationDeniedV1)
def _denied_with_all_calls_named(old: ContinuationDeniedV1) -> ContinuationDenied:
    """Calls that had ended are among `calls`, and `ended` is null."""
    return ContinuationDenied(**dict(old), ended=None)
