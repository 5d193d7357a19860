from __future__ import annotations

import pytest
from django.db import transaction

from console.reads import cases, open_cases
from runtime.cases import open_case
from runtime.event_log import Cause, lock_run
from runtime.states import CaseKind
from tests.factories import make_grant, make_world

pytestmark = pytest.mark.django_db(transaction=True)


def open_one(world):
    call = make_grant(world).tool_call
    with transaction.atomic():
        locked = lock_run(call.run_id, cause=Cause(producer="test"))
        open_case(locked, call, CaseKind.FAILED_AFTER_SUCCESS)
    return call.pk


def test_all_open_cases_are_counted_and_the_oldest_shown(monkeypatch):
    monkeypatch.setattr(cases, "MOST", 2)
    world = make_world()
    calls = [open_one(world) for _ in range(3)]

    found = open_cases(world.workspace)

    assert [card.call for card in found.shown] == calls[:2]
    assert (found.count, found.left_out) == (3, 1)


def test_no_case_is_open_where_nothing_turned_out_otherwise():
    found = open_cases(make_world().workspace)

    assert (found.count, found.shown, found.left_out) == (0, (), 0)
