from __future__ import annotations

import pytest

from console.view_models.sentences import timeline_sentence
from runtime.session_events import Verdict


def test_a_denial_says_each_reason_once():
    waits = {"gate": "approval", "reason": "A call waits for a decision.", "tool_call": "c"}
    ended = {"gate": "run", "reason": "The run has ended or is stopping.", "tool_call": None}

    sentence = timeline_sentence("continuation.denied", {"gates": [waits, waits, ended]}, {})

    assert sentence == (
        "The agent may not go on: A call waits for a decision. The run has ended or is stopping."
    )


@pytest.mark.parametrize("verdict", Verdict)
def test_every_verdict_about_a_history_is_said_in_words(verdict):
    sentence = timeline_sentence("session.write_classified", {"verdict": verdict.value}, {})

    words = sentence.removeprefix("The session's history: ")
    assert words not in {sentence, verdict.value}
