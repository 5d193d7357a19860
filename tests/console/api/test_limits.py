"""A database that is slow, or held: the request is given up whole, and can be made again."""

from __future__ import annotations

from contextlib import contextmanager

import psycopg
import pytest
from django.db import connection

from approvals.models import Approval
from tests.console.api.client import problem
from tests.console.api.conftest import Place
from tests.console.api.requests import decide, propose, recorded, start

pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def limited(**limits: str):
    """Our connection with other limits than it has."""
    with connection.cursor() as cursor:
        for name, limit in limits.items():
            cursor.execute("SELECT set_config(%s, %s, false)", [name, limit])
    try:
        yield
    finally:
        # It is opened anew, as it was.
        connection.close()


@contextmanager
def held(statement: str):
    """Somebody else has locked something, and sits on it."""
    parameters = connection.get_connection_params()
    names = {"host", "port", "user", "password", "dbname"}
    with psycopg.connect(**{k: v for k, v in parameters.items() if k in names}) as other:
        other.execute(statement)
        yield
        other.rollback()


@pytest.mark.parametrize(
    ("what", "limit"),
    [
        ("SELECT FROM runtime_run FOR UPDATE", {"lock_timeout": "200ms"}),
        ("SELECT FROM runtime_run FOR UPDATE", {"statement_timeout": "200ms"}),
        # By then the vote, its event and a timer are written.
        ("LOCK TABLE runtime_receipt IN SHARE MODE", {"lock_timeout": "200ms"}),
        ("LOCK TABLE runtime_receipt IN SHARE MODE", {"statement_timeout": "200ms"}),
    ],
)
def test_what_takes_too_long_is_given_up_whole(what, limit):
    here = Place("here")
    call = propose(here.agent, start(here.agent))
    approval = here.reviewer.get(f"/approvals/{call['approval']}").json()
    reviewer, before = here.reviewer, recorded()

    with limited(**limit), held(what):
        answer = decide(reviewer, approval)

    assert problem(answer) == (503, "unavailable")
    assert recorded() == before
    assert Approval.objects.get().status == "pending"
    assert decide(reviewer, approval).status_code == 200
