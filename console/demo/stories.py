"""The stories behind the demo's tickets: files in stories/, one for each thing worth seeing."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from pydantic import BaseModel, ConfigDict

from console.demo.desk import Desk

FOLDER = Path(__file__).parent / "stories"


class Story(BaseModel):
    """What one ticket says and what its agent makes of it; `{order}` stands for the order's id.

    `payment` is made at the sandbox, `fault` set for its first refund, before the agent begins.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    slug: str
    title: str
    author: str
    message: str
    goal: str
    success_criterion: str
    payment: dict[str, Any]
    refunds: tuple[dict[str, Any], ...]
    fault: dict[str, Any] | None = None

    def about(self, order: str) -> Story:
        return Story.model_validate_json(self.model_dump_json().replace("{order}", order))


@cache
def stories() -> list[Story]:
    """Answer every story, in the order to show them."""
    return [_read(path) for path in sorted(FOLDER.glob("*.json"))]


def find_story(slug: str) -> Story:
    """Raise LookupError for a story nobody wrote."""
    for story in stories():
        if story.slug == slug:
            return story
    raise LookupError(f"there is no story {slug!r}")


def request_ticket(story: str) -> None:
    """Put a ticket of this story into the agent's inbox. Raises LookupError."""
    Desk(settings.DATA_DIR).open_ticket(find_story(story).slug)


def _read(path: Path) -> Story:
    position, _, slug = path.stem.partition("-")
    assert position.isdigit(), path  # noqa: S101 - the number only orders them
    return Story(slug=slug, **json.loads(path.read_text()))
