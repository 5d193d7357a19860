from __future__ import annotations

from dataclasses import replace

from console.view_models.receipts import ReceiptView, receipt_notice
from console.view_models.words import Tone
from tests.console.view_models.examples import NOW, an_id

APPLIED = ReceiptView(
    command_id=str(an_id(1)),
    kind="approve",
    target=str(an_id(2)),
    actor="reviewer",
    surface="browser",
    token=None,
    status="applied",
    http_status=200,
    code="ok",
    detail="",
    event_positions=(8, 9),
    received_at=NOW,
    replayed=False,
)


def test_what_was_applied_is_said_plainly():
    notice = receipt_notice(APPLIED)

    assert (notice.tone, notice.title) == (Tone.DONE, "Approved. Your decision is on record.")


def test_what_was_refused_says_first_that_nothing_changed():
    refused = replace(
        APPLIED, status="refused", http_status=409, code="too_late", detail="At 9:14."
    )

    notice = receipt_notice(refused)

    assert (notice.tone, notice.title, notice.detail) == (
        Tone.STOP,
        "Nothing was changed. Too late: the approval had already been used. Nothing was stopped.",
        "At 9:14.",
    )


def test_a_code_without_words_is_shown_as_it_is():
    refused = replace(APPLIED, status="refused", code="brand_new")

    assert receipt_notice(refused).title == "Nothing was changed. Not done (brand_new)."
