"""What an event came of, up to whoever wanted it."""

from __future__ import annotations

from dataclasses import dataclass

from console.view_models.events import EventView


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandView:
    """The command in whose transaction an event was recorded, as its receipt has it."""

    command_id: str
    kind: str
    actor: str
    http_status: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseView:
    event: EventView
    command: CommandView | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CausesView:
    """The event itself first, then what it came of, and so on.

    `is_whole`: the last one is where it began. Otherwise the chain goes on at the cause
    that the last one names, or that one was recorded before causes were.
    """

    items: tuple[CauseView, ...]
    is_whole: bool
