"""First paint, live push and reload are the same HTML, before times are localised."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import Page, WebSocket, expect

from tests.scenarios.browser.tabs import bar, live, run_path
from tests.scenarios.drills.refunds import wait_until

# Without what scripts write on top, moments in the reader's zone and their own marks, and without
# the space between the items of a list.
REGIONS = """() => [...document.querySelectorAll("[data-position]:not(.event)")].map(region => {
    const copy = region.cloneNode(true);
    for (const each of [copy, ...copy.querySelectorAll("*")]) {
        each.removeAttribute("data-htmx-powered");
        if (each.dataset.time) each.textContent = each.dateTime;
    }
    for (const list of copy.querySelectorAll("[data-append]"))
        list.replaceChildren(...list.children);
    return copy.outerHTML;
})"""


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


def held(refund):
    assert refund.decide("reviewer").status_code == 200


def rejected(refund):
    assert refund.decide("reviewer", "reject", note="<b>Not</b> like this").status_code == 200


def cancelled(refund):
    assert refund.command("admin", "stop").status_code == 200


ENDS = [
    (500, decided, "consumed"),
    (900_00, held, "granted"),
    (500, rejected, "rejected"),
    (500, cancelled, "cancelled"),
]


@pytest.mark.parametrize(("amount", "act", "status"), ENDS, ids=[end[2] for end in ENDS])
def test_s5_what_is_pushed_is_what_a_reload_gives(visit, desk, amount, act, status):
    refund = desk.refund(amount)
    wait_until(lambda: "payment.observed" in refund.events)
    page, path = visit("reviewer"), run_path(refund)
    pushed = watched(page, path)

    act(refund)

    expect(bar(page, refund)).to_have_attribute("data-status", status)
    head = refund.stack.api("admin").get(f"/runs/{refund.run['id']}")["position"]
    expect(page.locator("#timeline")).to_have_attribute("data-position", str(head))
    html = page.request.get(path).text()
    missing = {target for target, content in pushed.fragments.items() if content not in html}
    assert missing - {"#timeline"} == {f"#approval-{refund.approval['id']}"}
    approval = page.request.get(f"/w/demo/approvals/{refund.approval['id']}/").text()
    assert pushed.fragments[f"#approval-{refund.approval['id']}"] in approval
    fresh = page.context.new_page()
    fresh.goto(path)
    assert page.evaluate(REGIONS) == fresh.evaluate(REGIONS)
