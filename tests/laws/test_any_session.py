"""What holds for every session, whoever appended, died, meddled or repaired, in any order."""

from __future__ import annotations

from collections import Counter
from itertools import count

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from runtime.commands import Applied
from runtime.folding import run_differences
from runtime.handlers import Granted
from runtime.models import SessionAppend
from runtime.sessions.damage import damage_of
from runtime.sessions.histories import flaw
from runtime.sessions.repairs import REPAIRS
from runtime.sessions.store import observe
from runtime.sessions.writing import known_head
from runtime.verify import log_differences
from tests.factories import make_world
from tests.laws.causes import unexplained
from tests.laws.schemas import unlike_their_schemas
from tests.runtime.sessions.lab import Lab, call, output, said

numbers = count(1)
BATCHES = (
    [said("u")],
    [said("v"), call("1")],
    [output("1")],
    [call("2")],
    [output("2"), said("w")],
)
MOVES = (
    *("append", "stale", "again", "die_before", "die_after"),
    *("meddle", "meddle", "ask", "repair", "repair"),
)
moves = st.lists(
    st.tuples(st.sampled_from(MOVES), st.integers(min_value=0, max_value=4)),
    min_size=3,
    max_size=20,
)


class Story:
    def __init__(self) -> None:
        self.lab = Lab(make_world(f"story-{next(numbers)}"))
        self.lab.append(0, "turn-0", said("Please"))
        self.tokens = ["turn-0"]

    def token(self) -> str:
        self.tokens.append(f"turn-{len(self.tokens)}")
        return self.tokens[-1]

    def append(self, number: int) -> None:
        self.lab.append(self.lab.run.session_revision, self.token(), *BATCHES[number])

    def stale(self, number: int) -> None:
        self.lab.append(max(0, self.lab.run.session_revision - 1), self.token(), *BATCHES[number])

    def again(self, number: int) -> None:
        """The newest attempt is sent once more, with the same items or with others."""
        self.lab.append(self.lab.run.session_revision, self.tokens[-1], *BATCHES[number])

    def die_before(self, number: int) -> None:
        if self.is_at_rest():
            self.lab.die_before_append(self.token(), *BATCHES[number])

    def die_after(self, number: int) -> None:
        if self.is_at_rest():
            self.lab.die_after_append(self.token(), *BATCHES[number])

    def meddle(self, number: int) -> None:
        self.lab.write_behind_our_back(f"foreign-{next(numbers)}", *BATCHES[number])

    def ask(self, _number: int) -> None:
        """Whoever is let go on has the history that the log knows."""
        if isinstance(self.lab.ask(), Granted):
            assert seen_now(self.lab).head == known_head(self.lab.run)
            event("granted")

    def repair(self, number: int) -> None:
        """What is repaired can be shown to a model, and is let go on."""
        self.lab.ask()
        was_damaged = damage_of(self.lab.run, self.lab.session) is not None
        if isinstance(self.lab.repair(REPAIRS[number % 3]), Applied):
            assert was_damaged
            assert flaw(self.lab.history) is None
            assert isinstance(self.lab.ask(), Granted)
            event("repaired")

    def is_at_rest(self) -> bool:
        run = self.lab.run
        return run.session_write is None and run.session_doubt is None


def seen_now(lab: Lab):
    return observe(lab.session, known_head(lab.run))


@pytest.mark.django_db
@given(moves=moves)
@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_the_laws_hold_for_every_session(moves):
    story = Story()

    for name, number in moves:
        getattr(story, name)(number)

    lab = story.lab
    assert list(run_differences(lab.run_id)) == []
    assert list(log_differences(lab.run_id)) == []
    assert list(unlike_their_schemas(lab.run)) == []
    assert unexplained(lab.run) == []
    tokens = SessionAppend.objects.filter(session=lab.session).values_list("attempt_token")
    assert max(Counter(tokens).values()) == 1
    assert let_go_on_unseen(lab) is False


def let_go_on_unseen(lab: Lab) -> bool:
    """Whether an agent may go on with something in its history that nobody accounts for."""
    granted = isinstance(lab.ask(), Granted)
    seen = seen_now(lab)
    return granted and (bool(seen.appends) or seen.head != seen.stated)
