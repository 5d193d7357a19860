"""Untrusted text made safe to look at: nothing hidden, nothing endless, no disguised link."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

KEPT: Final = frozenset("\n\t")
# Letters and marks by category that nevertheless draw nothing.
BLANK: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
HIDDEN: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
MARKS_IN_A_ROW: Final = 3
OPENED_LIMIT: Final = 20_000
LINES: Final = 12
# A fold that hides a few words costs more than it saves.
SLACK: Final = 1.25


def visible(text: str) -> str:
    """Write bidi controls, zero-width and control characters out, as in ⟦U+202E⟧."""
    out: list[str] = []
    marks = 0
    for char in text:
        marks = marks + 1 if unicodedata.combining(char) else 0
        out.append(_named(char) if _is_hidden(char) or marks > MARKS_IN_A_ROW else char)
    return "".join(out)


def _is_hidden(char: str) -> bool:
    return char not in KEPT and (char in BLANK or unicodedata.category(char) in HIDDEN)


def _named(char: str) -> str:
    return f"⟦U+{ord(char):04X}⟧"


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """`head` is shown, `rest` on request; `withheld` characters are not on the page at all."""

    head: str
    rest: str
    withheld: int


def folded(text: str, limit: int) -> Folded:
    """Cut after about `limit` characters, and before any line break beyond the twelfth."""
    lines = text.split("\n", LINES)
    if len(lines) <= LINES and len(text) <= limit * SLACK:
        return Folded(head=visible(text), rest="", withheld=0)
    cut = min(limit, len("\n".join(lines[:LINES])))
    opened = text[cut : cut + OPENED_LIMIT]
    return Folded(
        head=visible(text[:cut]),
        rest=visible(opened),
        withheld=len(text) - cut - len(opened),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    href: str
    host: str


def link(url: str) -> Link | None:
    """Accept https only, and name the host it really goes to."""
    if visible(url) != url or any(char.isspace() for char in url):
        return None
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").encode("idna").decode()
        port = f":{parts.port}" if parts.port else ""
    except (UnicodeError, ValueError):
        return None
    if parts.scheme != "https" or not host or "@" in parts.netloc or "\\" in url:
        return None
    return Link(href=url, host=host + port)
