"""Filters through which every untrusted text, amount and moment reaches a page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from django import template
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString

from console.view_models import text
from console.view_models.money import MoneyView
from console.view_models.words import Word

register = template.Library()


@register.filter
def visible(value: object) -> str:
    return text.visible(str(value))


@register.filter
def folded(value: object, limit: int = 240) -> SafeString:
    """Show the beginning, the rest on request, and say what the page withholds."""
    fold = text.folded(str(value), limit)
    if not fold.rest:
        return format_html('<bdi class="untrusted">{}</bdi>', fold.head)
    hidden = len(str(value)) - len(fold.head)
    withheld = f"… {fold.withheld:,} characters more are not on this page." if fold.withheld else ""
    return format_html(
        '<bdi class="untrusted">{}</bdi><details class="fold">'
        "<summary>… {} more characters</summary>"
        '<bdi class="untrusted">{}</bdi>{}</details>',
        fold.head,
        f"{max(hidden, len(fold.rest)):,}",
        fold.rest,
        withheld,
    )


@register.filter
def money(value: MoneyView) -> SafeString:
    """Write `$58.00 USD`, or `KWD 1.250` where the amount names its currency already."""
    amount = format_html('<data class="money" value="{}">{}</data>', value.minor, value.display)
    if not value.code:
        return amount
    return format_html('{} <span class="currency">{}</span>', amount, value.code)


@register.filter
def moment(value: datetime) -> SafeString:
    """Write a moment in UTC, which the page then shows in the reader's zone."""
    return _time(value, "moment")


@register.filter
def clock(value: datetime) -> SafeString:
    """Write only the time of day: for lists whose day is plain."""
    return _time(value, "clock")


@register.filter
def countdown(value: datetime) -> SafeString:
    """Write a moment that scripts turn into the time that is left."""
    return _time(value, "countdown")


def _time(value: datetime, kind: str) -> SafeString:
    utc = value.astimezone(UTC)
    written = f"{utc:%H:%M:%S} UTC" if kind == "clock" else f"{utc:%-d %b %Y, %H:%M} UTC"
    return format_html(
        '<time class="time" data-time="{}" datetime="{}" title="{}">{}</time>',
        kind,
        utc.isoformat(),
        f"{utc:%Y-%m-%d %H:%M:%S} UTC",
        written,
    )


@register.filter
def pretty(value: Mapping[str, Any]) -> str:
    return json.dumps(dict(value), indent=2, ensure_ascii=False, sort_keys=True, default=str)


@register.filter
def short(value: object) -> str:
    """Keep the last eight characters of an id: the first ones of a UUIDv7 are a clock."""
    return str(value)[-8:]


@register.simple_tag
def icon(shape: str) -> SafeString:
    return format_html(
        '<svg class="icon" aria-hidden="true" focusable="false"><use href="{}#{}"></use></svg>',
        static("icons.svg"),
        shape,
    )


@register.simple_tag
def word(value: Word) -> SafeString:
    """Draw a status as shape, word and colour, together."""
    return format_html(
        '<span class="word" data-tone="{}">{}<span>{}</span></span>',
        value.tone.value,
        icon(value.shape.value),
        value.text,
    )
