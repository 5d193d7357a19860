"""Looking for missing timers reads what is open, and not what there ever was."""

from __future__ import annotations

import json

import pytest
from django.db import connection

from approvals.handlers.expire import approvals_open
from runtime import claimable
from runtime.models import Outbox

pytestmark = pytest.mark.django_db


def indexes_read(rows) -> set[str]:
    """The indexes that PostgreSQL uses where a table is too large to be read whole."""
    sql, params = rows.query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}", params)
        (plan,) = cursor.fetchone()
    return set(_named(plan if isinstance(plan, list) else json.loads(plan)))


def _named(plan):
    match plan:
        case list():
            for each in plan:
                yield from _named(each)
        case dict():
            if "Index Name" in plan:
                yield plan["Index Name"]
            yield from _named([each for each in plan.values() if isinstance(each, list | dict)])


@pytest.mark.parametrize(
    ("find", "index"),
    [
        (claimable.calls_under_way, "calls_under_way"),
        (claimable.calls_watched, "calls_watched"),
        (claimable.calls_never_observed, "calls_proposed"),
        (claimable.notices_not_taken, "notices_not_taken"),
        (claimable.session_writes_left_open, "runs_with_an_open_append"),
        (approvals_open, "one_open_approval_per_call"),
        (
            lambda: Outbox.objects.filter(pos=None).order_by("workspace_id", "id"),
            "outbox_not_numbered",
        ),
    ],
)
def test_each_search_has_an_index_of_just_its_rows(find, index):
    assert index in indexes_read(find())
