"""The desk of the demo's agent: works through the tickets, each in a thread of its own."""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any, NoReturn

import requests

from console.demo.agent import work
from console.demo.desk import Desk
from console.demo.staging import Stage
from console.demo.stories import stories

POLL_S = 0.5
RETRY_S = 3.0
TIMEOUT_S = 10
# Someone ended the run, or an earlier demo left it: asking again would change nothing.
FINAL = {409, 422}


@dataclass(frozen=True, kw_only=True)
class Worker:
    desk: Desk
    stage: Stage
    api: str
    token: str

    def work(self, path: Path) -> None:
        """Try until the ticket is worked: most of what fails is down for a moment."""
        while True:
            try:
                ticket = self.stage.prepare(self.desk, path)
                work(ticket, self.api, self.token)
                self.stage.follow(ticket, self._confirmed(ticket["order"]))
                _say(f"{path.stem} is done")
                break
            except requests.RequestException as error:
                _say(f"{path.stem}: {_problem(error)}")
                if error.response is not None and error.response.status_code in FINAL:
                    break
            time.sleep(RETRY_S)
        self.desk.close(path)

    def _confirmed(self, order: str) -> list[str]:
        """The provider's ids of the order's refunds that were seen to have succeeded."""
        (run,) = self._read("/runs", q=order)["items"]
        facts = self._read(f"/runs/{run['id']}/events", type="outcome.confirmed_success")
        return [fact["payload"]["result_ref"] for fact in facts["events"]]

    def _read(self, path: str, **query: str) -> Any:  # noqa: ANN401 - any JSON
        headers = {"Authorization": f"Bearer {self.token}"}
        answer = requests.get(self.api + path, params=query, headers=headers, timeout=TIMEOUT_S)
        answer.raise_for_status()
        return answer.json()


def main() -> NoReturn:
    parser = argparse.ArgumentParser(prog="python -m console.demo.tickets", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, metavar="DIR")
    data_dir = parser.parse_args().data
    demo = json.loads((data_dir / "demo.json").read_text())
    desk = Desk(data_dir)
    worker = Worker(
        desk=desk,
        stage=Stage(url=demo["sandbox_url"], token=demo["sandbox_token"]),
        api=f"{demo['url']}/api/v1",
        token=demo["tokens"]["agent"],
    )
    if desk.is_new:
        _open_all(desk)
    _work_forever(worker)


def _open_all(desk: Desk) -> None:
    for story in stories():
        desk.open_ticket(story.slug)
    desk.done.mkdir()


def _work_forever(worker: Worker) -> NoReturn:
    begun: set[Path] = set()
    while True:
        for path in worker.desk.waiting():
            if path not in begun:
                begun.add(path)
                Thread(target=worker.work, args=[path], daemon=True).start()
        time.sleep(POLL_S)


def _problem(error: requests.RequestException) -> str:
    return (
        type(error).__name__ if error.response is None else f"answer {error.response.status_code}"
    )


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
