"""The browser that people use the console with: whatever Chromium this machine has."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
MISSING = "No Chromium on this machine: nothing was tested in a browser."


def installed() -> str | None:
    return next(filter(None, map(shutil.which, NAMES)), None)


def is_required() -> bool:
    return os.environ.get("CI") == "true"


@contextmanager
def running_browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=installed(), args=FLAGS)
        yield browser
        browser.close()
