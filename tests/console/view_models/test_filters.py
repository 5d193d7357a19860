from __future__ import annotations

from datetime import UTC, datetime

from console.templatetags.countersign import clock, folded, moment, money, word
from console.view_models.money import money_view
from console.view_models.words import OUTCOME
from runtime.states import VerificationStatus


def test_an_amount_names_its_currency_exactly_once():
    assert money(money_view(5800, "USD")) == (
        '<data class="money" value="5800">$58.00</data> <span class="currency">USD</span>'
    )
    assert money(money_view(1250, "KWD")) == '<data class="money" value="1250">KWD 1.250</data>'


def test_a_moment_reads_in_utc_without_scripts():
    at = datetime(2026, 3, 12, 9, 14, 7, tzinfo=UTC)

    assert moment(at) == (
        '<time class="time" data-time="moment" datetime="2026-03-12T09:14:07+00:00" '
        'title="2026-03-12 09:14:07 UTC">12 Mar 2026, 09:14 UTC</time>'
    )
    assert clock(at).endswith(">09:14:07 UTC</time>")


def test_folded_text_is_escaped_on_both_sides_of_the_fold():
    shown = folded("<script>" + "x" * 300 + "</script>", 10)

    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown
    assert "… 307 more characters" in shown


def test_a_status_is_a_shape_and_a_word():
    shown = word(OUTCOME[VerificationStatus.CONFIRMED_SUCCESS])

    assert "icons.svg#check" in shown
    assert "<span>Refunded, confirmed</span>" in shown
