"""Photograph the approval page for the README: `python -m tests.scenarios.browser.screenshots`."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from tests.scenarios.browser.chromium import running_browser
from tests.scenarios.browser.tabs import Visits, live
from tests.stack import ROOT, Stack

IMAGE = ROOT / "docs" / "images" / "approval.png"
STORY = "One lamp of three arrived broken"
SIZE: Any = {"width": 1280, "height": 900}


def photograph(stack: Stack) -> None:
    with running_browser() as browser:
        page = Visits(browser, stack, {})("reviewer", viewport=SIZE, color_scheme="light")
        page.goto("/w/demo/")
        page.locator(".row", has_text=STORY).get_by_role("link").click()
        expect(live(page).locator('.approval .check[data-ok="yes"]')).to_have_count(4)
        page.get_by_label("Note").fill("Photo and order fit together.")
        page.get_by_role("button", name="Approve…").click()
        page.mouse.move(0, 0)
        page.evaluate("scrollTo(0, 0)")
        page.screenshot(path=IMAGE)


def main() -> None:
    IMAGE.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        stack = Stack(Path(folder)).start()
        try:
            photograph(stack)
        finally:
            stack.stop()


if __name__ == "__main__":
    main()
