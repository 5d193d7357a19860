"""A run that stands still says what it waits for, and since when."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import transaction
from django.db.models.functions import Now

from console.reads.runs import run_views
from runtime.calls import hold_up
from runtime.event_log import Cause, lock_run
from runtime.models import Heartbeat, Run
from runtime.states import HeldUp
from tests.factories import make_approval, make_grant, make_world

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def world():
    return make_world()


def hear(*kinds, ago=0):
    for kind in kinds:
        Heartbeat.objects.create(owner=kind, kind=kind, at=Now() - timedelta(seconds=ago))


def blocked(call):
    (view,) = run_views([Run.objects.get(pk=call.run_id)], masked=False)
    return view.blocked


def test_a_question_is_peoples_business_whoever_is_heard(world):
    call = make_approval(world).tool_call

    assert blocked(call) is None


@pytest.mark.parametrize(
    ("up", "code"),
    [((), "no_dispatch_worker"), (("worker",), "no_relay"), (("worker", "relay"), None)],
)
def test_a_grant_waits_for_whoever_is_not_heard(world, up, code):
    call = make_grant(world).tool_call
    hear(*up)

    found = blocked(call)

    assert (found and found.code) == code
    assert found is None or found.since == call.authorized_at


def test_whoever_was_last_heard_sixteen_seconds_ago_is_not_heard(world):
    call = make_grant(world).tool_call
    hear("worker", "relay", ago=16)

    assert blocked(call).code == "no_dispatch_worker"


@pytest.mark.parametrize("code", HeldUp)
def test_what_holds_a_call_up_outside_is_shown_since_it_does(world, code):
    call = make_grant(world).tool_call
    hear("worker", "relay")
    hold(call, code)

    found = blocked(call)

    call.refresh_from_db()
    assert (found.code, found.since) == (code.value, call.held_up_at)
    assert found.sentence


def hold(call, code):
    with transaction.atomic():
        locked = lock_run(call.run_id, cause=Cause(producer="runtime"))
        hold_up(locked, call, code)
