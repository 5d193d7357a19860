from __future__ import annotations

import approvals.events
import runtime.events
from approvals.states import ApprovalStatus, ReasonCode
from console.view_models.bar import SETTLED
from console.view_models.phrases import CLOSED, REASONS, RECONCILIATION
from console.view_models.sentences import SENTENCES, timeline_sentence
from console.view_models.words import APPROVAL, EXECUTION, OUTCOME, RUN
from runtime.event_types import registered
from runtime.states import (
    AttemptClose,
    CallStatus,
    ReconciliationStatus,
    RunStatus,
    VerificationStatus,
)

OURS = (approvals.events.__name__, runtime.events.__name__)


def test_every_status_and_code_has_words():
    assert set(EXECUTION) == set(CallStatus)
    assert set(OUTCOME) == set(VerificationStatus)
    assert set(APPROVAL) == set(ApprovalStatus)
    assert set(RUN) == set(RunStatus)
    assert set(REASONS) == set(ReasonCode)
    assert set(CLOSED) == set(AttemptClose)
    assert set(RECONCILIATION) == set(ReconciliationStatus)
    assert set(SETTLED) == set(ApprovalStatus) - {ApprovalStatus.PENDING}


def test_no_two_statuses_of_a_track_read_the_same():
    for track in (EXECUTION, OUTCOME, APPROVAL, RUN):
        assert len({word.text for word in track.values()}) == len(track)


def test_refunded_is_said_of_nothing_but_a_confirmed_success():
    tracks = (EXECUTION, OUTCOME, APPROVAL, RUN)

    said = {
        status
        for track in tracks
        for status, word in track.items()
        if word.text.startswith("Refunded")
    }

    assert said == {VerificationStatus.CONFIRMED_SUCCESS}


def test_every_registered_event_has_a_sentence_whose_fields_it_carries():
    for cls in registered():
        if cls.__module__ not in OURS:
            continue
        fields: dict[str, object] = {name: f"<{name}>" for name in cls.model_fields}
        if "amount_minor" in fields:
            fields |= {"amount_minor": 5800, "currency": "USD"}

        sentence = timeline_sentence(cls.event_type, fields, {})

        assert cls.event_type in SENTENCES
        assert "?" not in sentence


def test_a_sentence_names_people_instead_of_their_ids():
    payload = {"person": "019577aa", "decision": "approve"}

    assert timeline_sentence("approval.voted", payload, {"019577aa": "senior"}) == (
        "senior voted: approve"
    )


def test_braces_in_untrusted_text_stay_text():
    payload = {"detail": "{by.__class__}"}

    assert timeline_sentence("tool.call.refused", payload, {}) == (
        "The call was refused: {by.__class__}"
    )


def test_an_unknown_event_is_shown_by_its_name():
    assert timeline_sentence("memory.promoted", {}, {}) == "memory promoted"
