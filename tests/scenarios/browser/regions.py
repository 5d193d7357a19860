"""What a page shows of what is on record, element by element."""

from __future__ import annotations

from playwright.sync_api import Page

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


def regions(page: Page) -> list[str]:
    """The HTML of each live region, in order."""
    shown: list[str] = page.evaluate(REGIONS)
    return shown
