"""What may be shown to a model, and what stands in for answers that are given up."""

from __future__ import annotations

import json

import pytest

from runtime.sessions.digests import written
from runtime.sessions.histories import WITHHELD, flaw, withheld

SAID = {"role": "user", "content": "Refund it."}


def call(key):
    return {"type": "function_call", "call_id": key, "name": "refund", "arguments": "{}"}


def output(key, text="done"):
    return {"type": "function_call_output", "call_id": key, "output": text}


def texts(*items):
    return [written(item) for item in items]


@pytest.mark.parametrize(
    "items",
    [
        (),
        (SAID, call("a"), output("a"), SAID),
        (call("a"), call("b"), output("b"), output("a"), SAID),
        (SAID, call("a")),
    ],
)
def test_a_history_whose_calls_are_answered_or_at_its_end_has_no_flaw(items):
    assert flaw(texts(*items)) is None


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ((output("a"),), "Item 1 answers a call that was not made."),
        ((output("a"), call("a")), "Item 1 answers a call that was not made."),
        ((call("a"), call("a")), "Item 2 makes a call that was made before."),
        ((call("a"), output("a"), output("a")), "Item 3 answers a call for the second time."),
        ((call("a"), SAID), "Item 2 comes before the answer to a call."),
    ],
)
def test_a_flaw_names_the_first_item_that_makes_no_sense(items, expected):
    assert flaw(texts(*items)) == expected


def test_only_what_waits_and_was_given_up_is_withheld():
    history = texts(call("answered"), call("given up"), call("waits"), output("answered"))
    discarded = texts(output("answered"), output("given up"), output("never called"))

    found = withheld(history, discarded)

    assert list(map(json.loads, found)) == [output("given up", WITHHELD)]
    assert flaw([*history, *found]) is None
