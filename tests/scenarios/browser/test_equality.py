"""First paint, live push and reload are the same HTML, before times are localised."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import Page, WebSocket, expect

from tests.scenarios.browser.regions import regions
from tests.scenarios.browser.tabs import approval_path, bar, live, run_path
from tests.scenarios.refunds import wait_until


@dataclass
class Pushed:
    """The last fragment of each target that came over a tab's socket."""

    fragments: dict[str, str] = field(default_factory=dict)

    def listen(self, socket: WebSocket) -> None:
        socket.on("framereceived", self.take)

    def take(self, text: str | bytes) -> None:
        frame = json.loads(text)
        if frame["kind"] == "fragment":
            self.fragments[frame["target"]] = frame["content"]


def watched(page: Page, path: str) -> Pushed:
    pushed = Pushed()
    page.on("websocket", pushed.listen)
    page.goto(path)
    live(page)
    return pushed


def decided(refund):
    assert refund.decide("reviewer").status_code == 200
    refund.when_confirmed()


def granted(refund):
    """Approve what waits then, because its payment cannot be read."""
    unreadable = {"status": 500, "match": {"payment": refund.payment}}
    refund.stack.sandbox.fault("payment.read", "status", 1000, **unreadable)
    assert refund.decide("reviewer").status_code == 200


def rejected(refund):
    assert refund.decide("reviewer", "reject", note="<b>Not</b> like this").status_code == 200


def cancelled(refund):
    assert refund.command("admin", "stop").status_code == 200


def differences(page: Page, pushed: Pushed, fresh: Page, refund) -> list[str]:
    """Name what was pushed and is on no page, then what shows otherwise than in a fresh tab."""
    paths = (run_path(refund), approval_path(refund))
    loaded = "".join(page.request.get(path).text() for path in paths)
    odd = [target for target, content in pushed.fragments.items() if content not in loaded]
    fresh.goto(paths[0])
    pairs = zip(regions(page), regions(fresh), strict=True)
    # Lines come one by one, so the last push of the whole timeline is an old one.
    return [each for each in odd if each != "#timeline"] + [old for old, new in pairs if old != new]


ENDS = {"consumed": decided, "granted": granted, "rejected": rejected, "cancelled": cancelled}


@pytest.mark.parametrize("status", ENDS)
def test_s5_what_is_pushed_is_what_a_reload_gives(visit, desk, status):
    refund = desk.refund()
    wait_until(lambda: "payment.observed" in refund.events)
    page, fresh = visit("reviewer"), visit("reviewer")
    pushed = watched(page, run_path(refund))

    ENDS[status](refund)

    expect(bar(page, refund)).to_have_attribute("data-status", status)
    wait_until(lambda: differences(page, pushed, fresh, refund) == [])
    assert "#timeline" in pushed.fragments
