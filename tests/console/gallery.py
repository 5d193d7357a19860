"""Renders every page in many states and photographs it: `python -m tests.console.gallery`."""

from __future__ import annotations

import argparse
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import django
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import path

from tests.console.gallery_pages import pages

ROOT = Path(__file__).parents[2]
CSP = "default-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
SIZES = {"wide": (1280, 900), "narrow": (390, 844)}


def nothing(request: HttpRequest, **_: object) -> HttpResponse:
    """Stand for a view: the gallery only reverses addresses."""
    raise Http404


urlpatterns = [
    path("", nothing, name="sign_in"),
    path("sign-out/", nothing, name="sign_out"),
    path("w/<slug>/", nothing, name="inbox"),
    path("w/<slug>/runs/", nothing, name="runs"),
    path("w/<slug>/runs/<uuid:id>/", nothing, name="run"),
    path("w/<slug>/runs/<uuid:id>/stop/", nothing, name="stop"),
    path("w/<slug>/tickets/", nothing, name="send_ticket"),
    path("w/<slug>/approvals/<uuid:id>/", nothing, name="approval"),
    path("w/<slug>/approvals/<uuid:id>/decide/", nothing, name="decide"),
    path("w/<slug>/approvals/<uuid:id>/revoke/", nothing, name="revoke"),
]


def render(folder: Path) -> list[str]:
    settings.configure(
        ROOT_URLCONF=__name__,
        STATIC_URL="/static/",
        USE_TZ=True,
        TEMPLATES=[
            {
                "BACKEND": "django.template.backends.django.DjangoTemplates",
                "DIRS": [ROOT / "templates"],
                "OPTIONS": {
                    "string_if_invalid": "",
                    "libraries": {"countersign": "console.templatetags.countersign"},
                },
            }
        ],
        INSTALLED_APPS=["django.contrib.staticfiles"],
    )
    django.setup()
    from django.template.loader import render_to_string  # noqa: PLC0415 -- after settings

    shutil.copytree(ROOT / "static", folder / "static", dirs_exist_ok=True)
    drawn = pages()
    for name, (template, context) in drawn.items():
        (folder / f"{name}.html").write_text(render_to_string(template, context))
    return list(drawn)


class Handler(SimpleHTTPRequestHandler):
    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", CSP)
        super().end_headers()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served(folder: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def photograph(folder: Path, names: list[str], axe: Path | None) -> int:
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 -- optional here

    problems = 0
    with served(folder) as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium",
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        for size, (width, height) in SIZES.items():
            for scheme in ("light", "dark"):
                page = browser.new_page(
                    viewport={"width": width, "height": height}, color_scheme=scheme
                )
                page.on("console", lambda message: print("console:", message.text))
                for name in names:
                    page.goto(f"{url}/{name}.html")
                    page.screenshot(path=folder / f"{name}-{size}-{scheme}.png", full_page=True)
                    problems += check(page, f"{name} {size} {scheme}", axe)
                page.close()
        browser.close()
    return problems


def check(page: Any, title: str, axe: Path | None) -> int:
    overflow = page.evaluate(
        "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    )
    found = [f"{title}: scrolls sideways"] if overflow else []
    if axe:
        page.evaluate(axe.read_text())
        violations = page.evaluate("axe.run().then(result => result.violations)")
        found += [
            f"{title}: {one['id']} {one['nodes'][0]['target']} "
            f"{one['nodes'][0]['failureSummary'][:200]}"
            for one in violations
        ]
    for line in found:
        print(line)
    return len(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--axe", type=Path, help="axe.min.js of the npm package axe-core")
    parser.add_argument("--only", nargs="*", default=None)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    names = render(options.folder)
    problems = photograph(options.folder, options.only or names, options.axe)
    print(f"{problems} problems in {options.folder}")


if __name__ == "__main__":
    main()
