"""What is carried out is what was approved, wherever its arguments lie."""

from __future__ import annotations

import pytest

from runtime.handlers import Propose, Proposed, propose
from runtime.models import PersonalText, ToolCall
from tests.letters import NAME, letter_arguments, plug_in
from tests.runtime.execution.lab import numbers, spent, step, story


@pytest.fixture
def letters(monkeypatch):
    return plug_in(monkeypatch)


def propose_letter(lab) -> ToolCall:
    command = Propose(
        capability=NAME,
        intent=f"letter-{next(numbers)}",
        arguments=letter_arguments(lab.payment()),
        summary="Sorry",
    )
    proposed = propose(lab.actor, lab.run().pk, command)
    assert isinstance(proposed, Proposed)
    return proposed.call


def erase(call):
    PersonalText.objects.filter(pk=call.artifact).update(ciphertext=None, digest_key=None)


def test_a_worker_sends_the_whole_of_large_arguments(lab, letters):
    call = propose_letter(lab)

    call = step(call)

    assert call.execution_status == "completed"
    assert letters.sent == [letter_arguments(call.target)]
    assert lab.control.payouts(call.intent) == 1


def test_what_was_erased_before_it_left_is_refused_and_never_sent(lab, letters):
    call = propose_letter(lab)
    erase(call)

    call = step(call)

    assert (call.execution_status, call.error_code) == ("refused", "arguments_readable")
    assert letters.sent == []
    assert lab.control.payouts(call.intent) == 0


def test_what_is_erased_between_spending_and_sending_is_pulled_back(lab, letters):
    call = propose_letter(lab)
    worker = spent(call)
    erase(call)

    worker.send()

    call.refresh_from_db()
    assert (call.execution_status, call.error_code) == ("aborted", "arguments_readable")
    assert letters.sent == []
    assert "tool.attempt.sent" not in story(call)
