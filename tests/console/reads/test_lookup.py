from __future__ import annotations

import pytest

from console.reads.lookup import SYSTEM, actors_of
from tests.factories import make_world

pytestmark = pytest.mark.django_db


def test_actors_of_the_log_have_names_people_know():
    world = make_world()
    reviewer, policy = f"person:{world.people['reviewer'].pk}", f"policy:{world.policy.pk}"

    assert actors_of([reviewer, policy, "system", None]) == {
        reviewer: "reviewer",
        policy: "policy refunds version 1",
        "system": SYSTEM,
    }
