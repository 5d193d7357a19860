"""The agent's tickets as files: opened in inbox/, moved to done/ when they have been worked."""

from __future__ import annotations

import json
import os
import secrets
from pathlib import Path
from typing import Any

FIRST_NUMBER = 1041


class Desk:
    """Any process may open a ticket; only the agent's changes and closes one."""

    def __init__(self, data_dir: Path) -> None:
        self.inbox = data_dir / "tickets" / "inbox"
        self.done = data_dir / "tickets" / "done"

    @property
    def is_new(self) -> bool:
        """Has nobody worked here yet?"""
        return not self.done.exists()

    def open_ticket(self, story: str) -> None:
        self.inbox.mkdir(parents=True, exist_ok=True)
        draft = self.inbox / f"{secrets.token_hex(8)}.draft"
        draft.write_text(json.dumps({"story": story}))
        number = max((*map(_number, self._tickets()), FIRST_NUMBER - 1)) + 1
        try:
            while not _link(draft, self.inbox / f"T-{number}.json"):
                number += 1
        finally:
            draft.unlink()

    def waiting(self) -> list[Path]:
        return sorted(self.inbox.glob("T-*.json"))

    def replace(self, ticket: Path, content: dict[str, Any]) -> None:
        draft = ticket.with_suffix(".partial")
        draft.write_text(json.dumps(content, ensure_ascii=False, indent=2))
        draft.replace(ticket)

    def close(self, ticket: Path) -> None:
        self.done.mkdir(exist_ok=True)
        ticket.replace(self.done / ticket.name)

    def _tickets(self) -> list[Path]:
        return [*self.waiting(), *self.done.glob("T-*.json")]


def _number(ticket: Path) -> int:
    return int(ticket.stem.removeprefix("T-"))


def _link(draft: Path, target: Path) -> bool:
    """Give the whole file its name at once, unless another ticket has it."""
    try:
        os.link(draft, target)
    except FileExistsError:
        return False
    return True
