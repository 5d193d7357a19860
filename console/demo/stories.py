"""The stories behind the demo's tickets: files in stories/, one for each thing worth seeing."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Literal

from django.conf import settings
from pydantic import BaseModel, ConfigDict

from console.demo.desk import Desk

FOLDER = Path(__file__).parent / "stories"


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Aftermath(Part):
    """What becomes of a refund so many seconds after it was confirmed."""

    status: Literal["failed", "canceled"]
    failure_reason: str
    after_s: float


class Story(Part):
    """What one ticket says and what its agent makes of it; `{order}` stands for the order's id.

    Before the agent begins, `payment` is made at the sandbox, so much of it refunded by
    someone `elsewhere`, and `fault` set for its first refund.
    """

    slug: str
    title: str
    author: str
    message: str
    goal: str
    success_criterion: str
    payment: dict[str, Any]
    refunds: tuple[dict[str, Any], ...]
    fault: dict[str, Any] | None = None
    elsewhere: int | None = None
    aftermath: Aftermath | None = None

    def about(self, order: str) -> Story:
        return Story.model_validate_json(self.model_dump_json().replace("{order}", order))


@cache
def stories() -> list[Story]:
    """Answer every story, in the order to show them."""
    return [_read(path) for path in sorted(FOLDER.glob("*.json"), key=_position)]


def find_story(slug: str) -> Story:
    """Raise LookupError for a story nobody wrote."""
    for story in stories():
        if story.slug == slug:
            return story
    raise LookupError(f"there is no story {slug!r}")


def request_ticket(story: str) -> None:
    """Put a ticket of this story into the agent's inbox. Raises LookupError."""
    Desk(settings.DATA_DIR).open_ticket(find_story(story).slug)


def _position(path: Path) -> int:
    return int(path.stem.partition("-")[0])


def _read(path: Path) -> Story:
    return Story(slug=path.stem.partition("-")[2], **json.loads(path.read_text()))
