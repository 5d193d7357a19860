"""Tabs of a real browser, and whatever the browser complains of in them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from tests.scenarios.refunds import Refund
from tests.stack import Stack

PASSWORD = "demo"
# What a browser and htmx say of a socket or a page that the test cut off.
CUT = re.compile("WebSocket|htmx:ws|net::ERR|503")
WITHIN_MS = 30_000
expect.set_options(timeout=WITHIN_MS)


@dataclass
class Visits:
    """Opens tabs: one context for each person who comes, signed in already.

    Script errors, refused answers and whatever else a tab's console shows end up in `complaints`.
    """

    browser: Browser
    stack: Stack
    sessions: dict[str, Any]
    contexts: list[BrowserContext] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def __call__(self, username: str, **options: Any) -> Page:
        if username not in self.sessions:
            self.sessions[username] = self._session(username)
        return self.stranger(storage_state=self.sessions[username], **options)

    def stranger(self, **options: Any) -> Page:
        context = self.browser.new_context(base_url=self.stack.url, **options)
        context.set_default_timeout(WITHIN_MS)
        context.on("page", self._listen)
        self.contexts.append(context)
        page = context.new_page()
        if not options.get("storage_state"):
            page.goto("/")
        return page

    def forget_cuts(self) -> None:
        """Leave out what a browser says of a connection that the test broke."""
        self.complaints[:] = [each for each in self.complaints if not CUT.search(each)]

    def _session(self, username: str) -> Any:
        """Sign in by the form's fields alone: what the page looks like is another test's."""
        context = self.browser.new_context(base_url=self.stack.url)
        context.request.get("/")
        (token,) = [each["value"] for each in context.cookies() if each["name"] == "csrftoken"]
        form: dict[str, str | float | bool] = {
            "username": username,
            "password": PASSWORD,
            "csrfmiddlewaretoken": token,
        }
        assert context.request.post("/", form=form).url.endswith("/w/demo/")
        session = context.storage_state()
        context.close()
        return session

    def _listen(self, page: Page) -> None:
        page.on("pageerror", lambda error: self.complaints.append(f"script: {error}"))
        page.on("console", lambda entry: self._note(entry.type, entry.text))
        page.on("response", lambda answer: self._note_answer(answer.status, answer.url))

    def _note(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.complaints.append(f"{kind}: {text}")

    def _note_answer(self, status: int, url: str) -> None:
        if status >= 400:
            self.complaints.append(f"{status} {url}")


def sign_in(page: Page, username: str) -> None:
    page.get_by_label("Name").fill(username)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(re.compile("/w/demo/"))


def approval_path(refund: Refund) -> str:
    return f"/w/demo/approvals/{refund.approval['id']}/"


def run_path(refund: Refund) -> str:
    return f"/w/demo/runs/{refund.run['id']}/"


def bar(page: Page, refund: Refund) -> Locator:
    return page.locator(f"#bar-{refund.approval['id']}")


def decision(page: Page, refund: Refund) -> Locator:
    return page.locator(f"#decide-{refund.approval['id']}")


def live(page: Page) -> Page:
    """Wait until what happens elsewhere reaches this tab."""
    expect(page.locator("#live-state")).to_have_text("Live")
    return page


def open_approval(page: Page, refund: Refund) -> Page:
    page.goto(approval_path(refund))
    return page


def approve(page: Page, refund: Refund) -> None:
    place = decision(page, refund)
    place.get_by_role("button", name="Approve…").click()
    place.get_by_role("button", name="Confirm approval").click()
    expect(page.locator(".notice-title")).to_have_text("Approved. Your decision is on record.")
