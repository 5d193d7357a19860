"""Which gates stay shut, and for which call."""

from __future__ import annotations

from uuid import uuid4

import pytest

from runtime.sessions.gates import Standing, objections
from runtime.states import CallStatus

OPEN_QUESTION = {CallStatus.PROPOSED, CallStatus.AUTHORIZED, CallStatus.DISPATCHING}
IN_DOUBT = {CallStatus.RESULT_UNKNOWN, CallStatus.RECONCILING, CallStatus.MANUAL_HANDOFF}


def shut(*calls: Standing, is_over=False, doubt=None):
    found = objections(is_over=is_over, doubt=doubt, calls=calls)
    return [(each.gate, each.tool_call) for each in found]


def standing(status, *, may_stay_open=False):
    return Standing(tool_call=uuid4(), status=status, may_stay_open=may_stay_open)


@pytest.mark.parametrize("may_stay_open", [True, False])
@pytest.mark.parametrize("status", CallStatus)
def test_a_call_shuts_at_most_one_gate_by_how_it_stands(status, may_stay_open):
    call = standing(status, may_stay_open=may_stay_open)

    found = shut(call)

    expected = []
    if status in OPEN_QUESTION:
        expected = [("approval", call.tool_call)]
    elif status in IN_DOUBT and not may_stay_open:
        expected = [("effect", call.tool_call)]
    assert found == expected


def test_every_gate_is_asked_although_one_is_shut_already():
    lost, asked = standing(CallStatus.RESULT_UNKNOWN), standing(CallStatus.PROPOSED)

    found = shut(lost, asked, is_over=True, doubt="partial")

    assert found == [
        ("run", None),
        ("session", None),
        ("effect", lost.tool_call),
        ("approval", asked.tool_call),
    ]
