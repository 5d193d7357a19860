"""Which repairs are offered: only those after which a model could be shown the history."""

from __future__ import annotations

import pytest

from runtime.session_events import Repair, Verdict
from runtime.sessions.digests import read_item, written
from runtime.sessions.histories import WITHHELD, flaw
from runtime.sessions.repairs import Damage, added, hindrance, offered

U, V = {"role": "user", "content": "u"}, {"role": "user", "content": "v"}
ADOPT: Repair = "adopt_observed"
APPEND: Repair = "append_pending"
DISCARD: Repair = "discard_pending"


def call(key):
    return {"type": "function_call", "call_id": key}


def output(key):
    return {"type": "function_call_output", "call_id": key}


def damage(observed, pending, made=0, verdict=Verdict.SUPERSEDED):
    texts = [tuple(map(written, items)) for items in (observed, pending)]
    return Damage(verdict=verdict, observed=texts[0], pending=texts[1], made=made)


CASES: dict[str, tuple[Damage, tuple[Repair, ...]]] = {
    "another's question, ours never came": (damage([U, V], [U]), (ADOPT, APPEND, DISCARD)),
    "nothing of ours is open": (damage([U, V], []), (ADOPT,)),
    "the answer to a call is still to come": (
        damage([U, call("1")], [output("1")]),
        (ADOPT, APPEND, DISCARD),
    ),
    "somebody else answered our call": (
        damage([U, call("1"), output("1")], [output("1")]),
        (ADOPT, DISCARD),
    ),
    "the call that is answered is gone": (damage([U], [output("1")]), (ADOPT, DISCARD)),
    "an answer without its call is there": (damage([U, output("1")], []), ()),
    "a question came before the answer": (damage([U, call("1"), V], [output("1")]), ()),
    "ours is there, and another's": (damage([U, V, U], [V], made=1), (ADOPT,)),
    "half of ours is there": (
        damage([call("1"), call("2"), output("1")], [output("1"), output("2")], made=1),
        (ADOPT, DISCARD),
    ),
    "a newer program meant it": (damage([U], [V], verdict=Verdict.UNREADABLE_VERSION), (ADOPT,)),
}


@pytest.mark.parametrize("case", CASES)
def test_a_repair_is_offered_where_it_leaves_a_history_that_makes_sense(case):
    found, actions = CASES[case]

    assert offered(found) == actions
    for action in actions:
        assert flaw([*found.observed, *added(found, action)]) is None


def test_an_answer_that_is_given_up_says_so_in_its_place():
    found = damage([U, call("1"), call("2")], [output("1"), V])

    items = list(map(read_item, added(found, DISCARD)))

    assert items == [{"type": "function_call_output", "call_id": "1", "output": WITHHELD}]


@pytest.mark.parametrize(
    ("found", "action", "code"),
    [
        (damage([U], []), APPEND, "nothing_pending"),
        (damage([U, V], [V], made=1), APPEND, "already_appended"),
        (damage([U, V], [V], made=1), DISCARD, "already_appended"),
        (damage([output("1")], []), ADOPT, "not_well_formed"),
    ],
)
def test_what_is_in_the_way_has_a_code(found, action, code):
    hindered = hindrance(found, action)

    assert hindered is not None
    assert hindered.code == code


def test_an_item_that_cannot_be_read_is_not_shown_to_a_model():
    found = Damage(verdict=Verdict.SUPERSEDED, observed=("no json",), pending=(), made=0)

    assert offered(found) == ()
