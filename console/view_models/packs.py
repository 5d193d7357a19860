"""Everything there is about one approval, with what it takes to check it elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal
from uuid import UUID

from console.view_models.approvals import ApprovalView
from console.view_models.calls import CallView
from console.view_models.receipts import ReceiptView

FORMAT: Final = "countersign-evidence@1"


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesView:
    """The policy version that asked, word for word."""

    id: UUID
    name: str
    version: int
    document: Mapping[str, Any]
    author: UUID | None
    written_at: datetime
    activated_at: datetime | None
    withdrawn_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictView:
    """Somebody behind the run, who could not decide."""

    person: UUID
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SightView:
    """What the provider said of the payment; the digest is in the log."""

    id: UUID
    as_of: datetime
    digest: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerView:
    """A receipt, and what was written with it; that text's digest is in no receipt."""

    receipt: ReceiptView
    note: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptText:
    """A personal text; with its key (hex) the digest in the log can be computed.

    An erased one has neither, and its digest tells nothing any more.
    """

    id: UUID
    digest: str
    erased: bool
    text: str
    digest_key: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEvent:
    """A fact as it is hashed: SHA-256 over prev_hash, envelope and body, one below the other."""

    envelope: str
    body: str
    prev_hash: str
    hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorView:
    """A signed statement, and the way from the run's head to the root it states."""

    statement: str
    signature: str
    run: UUID
    position: int
    hash: str
    path: tuple[tuple[Literal["left", "right"], str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidencePack:
    """`approval` is as the API gives it, judged by what was known when it was decided.

    `arguments` are null where they lay in an artifact that is erased. `people` names everybody
    whom the log has by id; a name is no part of the log.
    """

    format: Literal["countersign-evidence@1"]
    made_at: datetime
    made_by: str
    workspace: UUID
    approval: ApprovalView
    arguments: Mapping[str, Any] | None
    conflicts: tuple[ConflictView, ...]
    policy: RulesView
    call: CallView
    observations: tuple[SightView, ...]
    receipts: tuple[AnswerView, ...]
    people: Mapping[str, str]
    texts: tuple[KeptText, ...]
    events: tuple[StoredEvent, ...]
    anchors: tuple[AnchorView, ...]
