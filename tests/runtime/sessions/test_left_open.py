"""An append whose process died is made, or found made, though nobody comes back for it."""

from __future__ import annotations

import pytest

from runtime import claimable  # noqa: F401 - what may be claimed registers itself
from runtime.models import Sweep, Timer
from runtime.sessions.digests import written
from runtime.sessions.left_open import SETTLE
from runtime.sweeps import sweep
from runtime.timers import handlers
from tests.runtime.sessions.lab import Lab, said

U, V = said("u"), said("v")


def relay_once() -> list[str]:
    """What a relay does when every timer is lost; the kinds that it found missing."""
    Timer.objects.all().delete()
    Sweep.objects.all().delete()
    sweep()
    found = list(Timer.objects.values_list("kind", "subject"))
    for kind, subject in found:
        handlers[kind](subject)
    return [kind for kind, _ in found]


@pytest.mark.parametrize("die", [Lab.die_before_append, Lab.die_after_append])
def test_an_append_left_open_is_in_the_history_once(lab, die):
    lab.append(0, "first", U)
    die(lab, "second", V)

    assert relay_once() == [SETTLE]

    assert lab.history == [written(U), written(V)]
    assert (lab.run.session_write, lab.run.session_revision) == (None, 2)
    assert relay_once() == []


def test_a_session_in_doubt_waits_for_an_admin(lab):
    lab.append(0, "first", U)
    lab.die_before_append("second", V)
    lab.write_behind_our_back("other", V)
    relay_once()

    assert lab.run.session_doubt is not None
    assert relay_once() == []


def test_a_session_at_rest_is_left_alone(lab):
    lab.append(0, "first", U)

    assert relay_once() == []
