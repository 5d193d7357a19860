from __future__ import annotations

import re

import pytest
from django.db import DatabaseError, connection, transaction

from approvals.states import APPROVAL_NEXT
from runtime.models import Event
from runtime.states import ATTEMPT_NEXT, CALL_NEXT, VERIFICATION_NEXT
from tests.runtime.logs import started_run

pytestmark = pytest.mark.django_db

MOVES = {
    ("runtime_toolcall", "execution_status"): CALL_NEXT,
    ("runtime_toolcall", "verification_status"): VERIFICATION_NEXT,
    ("runtime_attempt", "status"): ATTEMPT_NEXT,
    ("approvals_approval", "status"): APPROVAL_NEXT,
}
APPEND_ONLY = [
    "runtime_artifact",
    "runtime_event",
    "runtime_receipt",
    "runtime_sessionappend",
    "runtime_sessionitem",
    "runtime_sessionwrite",
    "approvals_consumption",
    "approvals_vote",
]


@pytest.mark.parametrize("table", APPEND_ONLY)
def test_history_is_guarded_in_every_replication_role(table):
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tgenabled FROM pg_trigger WHERE tgname = %s", [f"{table}_is_append_only"]
        )

        assert cursor.fetchall() == [("A",)]


@pytest.mark.parametrize("guard", ["runtime_outbox_pos", "runtime_notice_taken_at"])
def test_what_is_given_once_is_guarded_in_every_replication_role(guard):
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tgenabled FROM pg_trigger WHERE tgname = %s", [f"{guard}_is_given_once"]
        )

        assert cursor.fetchall() == [("A",)]


def forge(role, change, rows):
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL session_replication_role = {role}")
        rows.update(producer="forger") if change == "update" else rows._raw_delete("default")  # noqa: SLF001


@pytest.mark.parametrize("role", ["origin", "replica"])
@pytest.mark.parametrize("change", ["update", "delete"])
def test_the_database_refuses_to_change_history(role, change):
    rows = Event.objects.filter(run=started_run().run)
    before = list(rows.values())

    with pytest.raises(DatabaseError, match="append-only"):
        forge(role, change, rows)

    assert list(rows.values()) == before
    assert len(before) == 1


@pytest.mark.parametrize(("table", "column"), list(MOVES))
def test_the_triggers_allow_exactly_the_moves_of_the_tables(table, column):
    with connection.cursor() as cursor:
        cursor.execute("SELECT prosrc FROM pg_proc WHERE proname = %s", [f"{table}_{column}_moves"])
        (source,) = cursor.fetchone()

    allowed = {tuple(pair.split(">")) for pair in re.findall(r"'(\w*>\w+)'", source)}
    listed = MOVES[table, column]
    assert allowed == {(src or "", goal) for src, goals in listed.items() for goal in goals}
