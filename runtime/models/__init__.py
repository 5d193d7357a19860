"""The rows of the runtime: the log, what is projected from it, and what work needs."""

from __future__ import annotations

from runtime.models.artifact import Artifact
from runtime.models.case import Case
from runtime.models.feed import Consumer, Outbox, WorkspaceFeed
from runtime.models.identity import Person, Workspace
from runtime.models.log import Event, Receipt, RequestKey
from runtime.models.notice import Notice
from runtime.models.provider import Observation, Payment, ProviderAccount, Reservation
from runtime.models.run import (
    CALLS_UNDER_WAY,
    CALLS_WATCHED,
    SESSION_WRITE_OPEN,
    Attempt,
    Run,
    ToolCall,
)
from runtime.models.schedule import Heartbeat, Sweep, Timer
from runtime.models.search import SearchTerm
from runtime.models.session import AgentSession, SessionAppend, SessionItem, SessionWrite
from runtime.models.text import FingerprintKey, PersonalKey, PersonalText

__all__ = [
    "CALLS_UNDER_WAY",
    "CALLS_WATCHED",
    "SESSION_WRITE_OPEN",
    "AgentSession",
    "Artifact",
    "Attempt",
    "Case",
    "Consumer",
    "Event",
    "FingerprintKey",
    "Heartbeat",
    "Notice",
    "Observation",
    "Outbox",
    "Payment",
    "Person",
    "PersonalKey",
    "PersonalText",
    "ProviderAccount",
    "Receipt",
    "RequestKey",
    "Reservation",
    "Run",
    "SearchTerm",
    "SessionAppend",
    "SessionItem",
    "SessionWrite",
    "Sweep",
    "Timer",
    "ToolCall",
    "Workspace",
    "WorkspaceFeed",
]
