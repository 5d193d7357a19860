"""The audit record, line by line: by ids, as the log and the receipts hold them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from console.view_models.events import EventView


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditHeader:
    """What follows. `workspace_id` is what hashes are taken over, where events say the slug."""

    reading: str
    schema_version: int
    workspace: str
    workspace_id: UUID
    run: UUID | None
    read_at: datetime
    kind: Literal["header"] = "header"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReceipt:
    """`note` is where the actor's words lie; `event_positions` are the run's."""

    command_id: str
    command: str
    target: UUID
    actor: str
    surface: str
    token: UUID | None
    status: str
    http_status: int
    code: str
    detail: str
    extra: Mapping[str, Any]
    note: UUID | None
    body_digest: str
    event_positions: tuple[int, ...]
    received_at: datetime
    kind: Literal["receipt"] = "receipt"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditChange:
    """A change of the workspace; `change` says of what kind."""

    change: str
    subject: str
    actor: str
    surface: str
    token: UUID | None
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None
    changed_at: datetime
    kind: Literal["change"] = "change"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRun:
    """A run begins: as many events follow as `head` says, the last with `head_hash`."""

    run: UUID
    head: int
    head_hash: str
    kind: Literal["run"] = "run"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEvent:
    event: EventView
    kind: Literal["event"] = "event"


AuditLine = AuditHeader | AuditRun | AuditEvent | AuditReceipt | AuditChange


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditPage:
    """A part of one run's record: events, and the receipts written up to the next of them."""

    reading: str
    schema_version: int
    run: UUID
    head: int
    head_hash: str
    events: tuple[EventView, ...]
    receipts: tuple[AuditReceipt, ...]
