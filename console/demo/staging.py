"""What happens at the sandbox before a ticket is written, and after it has been worked."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests

from console.demo.agent import intent_of
from console.demo.desk import Desk
from console.demo.stories import Story, find_story

TIMEOUT_S = 10
# What the agent does not know of.
OFF_STAGE = {"title", "fault", "payment", "elsewhere", "aftermath"}


@dataclass(frozen=True, kw_only=True)
class Stage:
    """The sandbox's control calls that a story needs."""

    url: str
    token: str

    def prepare(self, desk: Desk, path: Path) -> dict[str, Any]:
        """Answer the ticket, made complete once: begun again it is about the same payment."""
        ticket: dict[str, Any] = json.loads(path.read_text())
        if "payment" not in ticket:
            ticket = self._complete(path.stem, find_story(ticket["story"]))
            desk.replace(path, ticket)
        return ticket

    def follow(self, ticket: dict[str, Any], refunds: list[str]) -> None:
        """Play what becomes of these refunds, if the ticket's story goes on; twice is as once."""
        aftermath = find_story(ticket["slug"]).aftermath
        if aftermath is None or not refunds:
            return
        time.sleep(aftermath.after_s)
        for refund in refunds:
            self._post(f"refunds/{refund}", aftermath.model_dump(exclude={"after_s"}))

    def _complete(self, ref: str, story: Story) -> dict[str, Any]:
        order = f"58{ref.removeprefix('T-')}"
        payment = self._post("payments", {**story.payment, "metadata": {"order_id": order}})["id"]
        if story.fault is not None:
            self._post("faults", {**story.fault, "match": {"intent": intent_of(ref, 1)}})
        if story.elsewhere is not None:
            self._post("refunds", {"payment": payment, "amount": story.elsewhere})
        told = story.about(order).model_dump(mode="json", exclude=OFF_STAGE)
        return {"ref": ref, "order": order, "payment": payment, **told}

    def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        headers = {"X-Sandbox-Token": self.token}
        address = f"{self.url}/_sandbox/{path}"
        answer = requests.post(address, json=body, headers=headers, timeout=TIMEOUT_S)
        answer.raise_for_status()
        made: dict[str, Any] = answer.json()
        return made
