from __future__ import annotations

import pytest

from console.view_models.text import Folded, Link, folded, link, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("order-001", "order-001"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("\u202egpj.exe", "⟦U+202E⟧gpj.exe"),
        ("pay\u200bment", "pay⟦U+200B⟧ment"),
        ("a\u2066b\u2069", "a⟦U+2066⟧b⟦U+2069⟧"),
        ("nul\x00 bell\x07 carriage\r", "nul⟦U+0000⟧ bell⟦U+0007⟧ carriage⟦U+000D⟧"),
        ("half \ud800", "half ⟦U+D800⟧"),
        ("tag \U000e0041", "tag ⟦U+E0041⟧"),
        ("blank \u3164", "blank ⟦U+3164⟧"),
        ("Zoë, 東京, שלום", "Zoë, 東京, שלום"),
        ("<b>&amp;</b>", "<b>&amp;</b>"),
    ],
)
def test_what_draws_nothing_or_turns_text_around_is_written_out(text, shown):
    assert visible(text) == shown


def test_marks_piled_onto_one_letter_are_written_out_from_the_fourth_on():
    assert visible("a" + "\u0301" * 5) == "a" + "\u0301" * 3 + "⟦U+0301⟧" * 2


def test_a_short_text_is_not_folded():
    assert folded("short", 240) == Folded(head="short", rest="", withheld=0)


def test_a_text_a_little_too_long_is_shown_whole():
    assert folded("a" * 12, 10) == Folded(head="a" * 12, rest="", withheld=0)


def test_a_long_text_shows_its_beginning_and_offers_the_rest():
    assert folded("a" * 10 + "b" * 5, 10) == Folded(head="a" * 10, rest="b" * 5, withheld=0)


def test_a_huge_text_is_not_put_on_the_page_whole():
    fold = folded("x" * 900_000, 240)

    assert (len(fold.head), len(fold.rest), fold.withheld) == (240, 20_000, 879_760)


def test_many_short_lines_are_folded_too():
    assert folded("\n".join("abcdefghijklmnop"), 240).head == "\n".join("abcdefghijkl")


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://desk.example.com/t/1", "desk.example.com"),
        ("https://desk.example.com:8443/", "desk.example.com:8443"),
        ("https://pаypal.example/", "xn--pypal-4ve.example"),  # noqa: RUF001 - a Cyrillic letter
    ],
)
def test_a_link_names_the_host_it_goes_to(url, expected):
    assert link(url) == Link(href=url, host=expected)


@pytest.mark.parametrize(
    "url",
    [
        "http://desk.example.com/",
        "javascript:alert(1)",
        "data:text/html,hello",
        "//desk.example.com/",
        "https://paypal.com@evil.example/",
        "https://evil.example\\@paypal.com/",
        "https://exa\u200bmple.com/",
        "https://example.com/ with spaces",
        "https://[broken/",
        "https://",
        "",
    ],
)
def test_anything_but_plain_https_is_no_link(url):
    assert link(url) is None
