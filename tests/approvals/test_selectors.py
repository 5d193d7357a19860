from __future__ import annotations

from datetime import timedelta

import pytest

from approvals.selectors import cannot_decide
from runtime.event_log import database_now
from runtime.observations import observed_preconditions
from tests.factories import (
    approve,
    make_approval,
    make_grant,
    make_run,
    move_clock,
    new_policy,
    observe,
    refusal_of,
)


def _plain(world):
    return make_approval(world)


def _settled(world):
    return make_grant(world)


def _overdue(world):
    approval = make_approval(world)
    move_clock(approval, decide_by=timedelta(seconds=-1))
    return approval


def _conflict(world):
    return make_approval(world, make_run(world, initiator=world.people["reviewer"].pk))


def _too_much(world):
    return make_approval(world, minor=1_000_01)


def _no_limit(world):
    return make_approval(world, currency="EUR")


def _disputed(world):
    approval = make_approval(world)
    observe(approval.tool_call, disputed=True)
    return approval


def _voted(world):
    new_policy(world, needs=2)
    approval = make_approval(world)
    approve(world, "reviewer", approval)
    return approval


CASES = [_settled, _overdue, _conflict, _too_much, _no_limit, _disputed, _voted]


def shown(world, name, approval):
    approval.refresh_from_db()
    now = database_now()
    call = approval.tool_call
    preconditions = observed_preconditions([call], now)[call.pk]
    return cannot_decide(world.actor(name), approval, now=now, preconditions=preconditions)


@pytest.mark.parametrize("make", CASES)
def test_a_page_shows_the_very_reason_the_handler_gives(world, make):
    approval = make(world)

    reason = shown(world, "reviewer", approval)

    assert reason == refusal_of(approve(world, "reviewer", approval))


def test_a_page_shows_no_reason_where_the_handler_gives_none(world):
    assert shown(world, "reviewer", _plain(world)) is None


@pytest.mark.parametrize("name", ["support", "admin", "agent"])
def test_a_page_tells_other_roles_that_they_do_not_decide(world, name):
    approval = make_approval(world)

    assert shown(world, name, approval) == refusal_of(approve(world, name, approval))
