from __future__ import annotations

import approvals.events  # noqa: F401 - registers its event types
from console.view_models.kept import CLOSED_ARGUMENTS, KEPT, Kept, kept
from runtime.capabilities.refund_payment import RefundArguments
from runtime.event_types import TextRef, registered

FIELDS = [
    (event.event_type, name, field.annotation)
    for event in registered()
    for name, field in event.model_fields.items()
]


def test_somebody_has_thought_about_every_field():
    missing = [
        f"{event_type}.{name}"
        for event_type, name, _ in FIELDS
        if not {f"{event_type}.{name}", name} & KEPT.keys()
    ]

    assert missing == []


def test_of_what_somebody_wrote_only_its_presence_is_kept():
    words = {kept(event_type, name) for event_type, name, kind in FIELDS if "TextRef" in str(kind)}

    assert str(TextRef) in {str(kind) for _, _, kind in FIELDS}
    assert words == {Kept.PRESENCE}


def test_a_field_that_nobody_has_thought_about_is_left_out():
    assert kept("run.started", "shoe_size") is Kept.LEFT_OUT


def test_a_refund_s_payment_is_the_one_argument_that_is_not_closed():
    closed = CLOSED_ARGUMENTS["refund-payment@1"]

    assert RefundArguments.model_fields.keys() - closed == {"payment"}
