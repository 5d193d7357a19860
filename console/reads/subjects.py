"""What runs are about, as their agents said: personal text, all but the order's number."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from console.reads.lookup import Texts
from runtime.models import Run
from runtime.texts import ERASED


class Subjects:
    """Read in one query; of somebody who was erased not even the order's number is left."""

    def __init__(self, runs: Iterable[Run]) -> None:
        self.texts = Texts([run.subject for run in runs], masked=False)

    def whole(self, run: Run) -> dict[str, Any]:
        try:
            subject: dict[str, Any] = json.loads(self.texts.say(run.subject))
        except ValueError:
            return {"order_id": ERASED}
        return subject

    def masked(self, run: Run) -> dict[str, Any]:
        return {name: said for name, said in self.whole(run).items() if name == "order_id"}

    def order(self, run: Run) -> str:
        return str(self.whole(run).get("order_id") or "")
