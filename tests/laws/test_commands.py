"""`verify_log` and `rebuild_projections`: what was tampered with is named, and mended."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction

from approvals import folding as approvals
from approvals.models import Approval, Consumption, Vote
from runtime import folding as runtime
from runtime.models import Attempt, Case, Event, ToolCall
from tests.factories import approve, make_call, make_grant, make_world
from tests.handoffs import make_settlement, observe_outcome
from tests.laws.history import History

pytestmark = pytest.mark.django_db


@pytest.fixture
def paid(sandbox):
    """A call that was approved and paid, with a row of every kind."""
    history = History(sandbox)
    for move in ("propose", "approve", "work", "work"):
        getattr(history, move)(0, 0)
    (call,) = history.calls
    assert call.verification_status == "confirmed_success"
    return call


def said_by(command, *options):
    """The lines a command prints, and the sentence it fails with."""
    out = StringIO()
    try:
        call_command(command, *options, stdout=out)
    except CommandError as error:
        return out.getvalue().splitlines(), str(error)
    return out.getvalue().splitlines(), None


def tamper(table, sql, *values):
    """What somebody with the owner's rights can do to a table."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        cursor.execute(sql, values)
        cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")


def test_nothing_is_found_where_nothing_was_tampered_with(paid):
    assert said_by("verify_log") == ([], None)
    assert said_by("rebuild_projections", "--check") == ([], None)
    assert said_by("rebuild_projections") == ([], None)


def test_a_byte_changed_in_a_stored_event_is_named(paid):
    event = Event.objects.get(run=paid.run, event_type="approval.requested")

    change = "UPDATE runtime_event SET body = replace(body, '300', '301') WHERE event_id = %s"
    tamper("runtime_event", change, event.pk)

    lines, error = said_by("verify_log")
    where = f"run {paid.run_id}, position {event.position}"
    assert lines == [f"{where}: approval.requested is not what was recorded"]
    assert error is not None


def test_an_event_removed_from_the_tail_is_named(paid):
    last = Event.objects.filter(run=paid.run).latest("position")

    tamper("runtime_event", "DELETE FROM runtime_event WHERE event_id = %s", last.pk)

    lines, error = said_by("verify_log")
    ends = f"the log ends at {last.position - 1}, the run's head says {last.position}"
    left = f"run {paid.run_id}, position {last.position}: the outbox has it, the log does not"
    assert lines == [f"run {paid.run_id}: {ends}", left]
    assert error is not None


def test_a_row_that_departs_from_its_log_is_named_by_the_check_which_changes_nothing(paid):
    ToolCall.objects.filter(pk=paid.pk).update(amount_minor=1)

    found = said_by("rebuild_projections", "--check")

    lines = [f"call {paid.pk}: amount_minor is 1, the log says 300"]
    assert found == (lines, "The rows are not as the log says: 1 differences.")
    assert said_by("rebuild_projections", "--check") == found


def test_rows_are_written_anew_even_where_no_move_leads_back_and_stay_guarded(paid):
    refund = "UPDATE runtime_toolcall SET execution_status = 'refused' WHERE id = %s"
    tamper("runtime_toolcall", refund, paid.pk)
    unspent = "UPDATE approvals_approval SET status = 'pending' WHERE tool_call_id = %s"
    tamper("approvals_approval", unspent, paid.pk)

    lines, error = said_by("rebuild_projections")

    assert (len(lines), error) == (2, None)
    assert said_by("rebuild_projections", "--check") == ([], None)
    with pytest.raises(DatabaseError, match="cannot go from"), transaction.atomic():
        ToolCall.objects.filter(pk=paid.pk).update(execution_status="proposed")
    with pytest.raises(DatabaseError, match="cannot go from"), transaction.atomic():
        Approval.objects.filter(tool_call=paid).update(status="pending")


def test_rows_that_are_gone_come_back_from_the_log(paid):
    before = (runtime.rows(paid.run_id), approvals.rows(paid.run_id))
    approval = Approval.objects.get(tool_call=paid)
    tamper("approvals_vote", "DELETE FROM approvals_vote WHERE approval_id = %s", approval.pk)
    spent = "DELETE FROM approvals_consumption WHERE approval_id = %s"
    tamper("approvals_consumption", spent, approval.pk)
    tamper("approvals_approval", "DELETE FROM approvals_approval WHERE id = %s", approval.pk)
    tamper("runtime_attempt", "DELETE FROM runtime_attempt WHERE tool_call_id = %s", paid.pk)

    lines, error = said_by("rebuild_projections")

    assert (len(lines), error) == (4, None)
    assert (runtime.rows(paid.run_id), approvals.rows(paid.run_id)) == before
    assert [model.objects.count() for model in (Vote, Consumption, Attempt)] == [1, 1, 1]


def test_a_case_that_is_gone_comes_back_from_the_log(sandbox):
    history = History(sandbox)
    for move in ("propose", "approve", "work", "work", "take_back", "observe"):
        getattr(history, move)(0, 0)
    before = runtime.rows(history.runs[0].pk)
    case = Case.objects.get()
    tamper("runtime_case", "DELETE FROM runtime_case WHERE id = %s", case.pk)

    lines, error = said_by("rebuild_projections")

    assert (lines, error) == ([f"case {case.pk}: no row"], None)
    assert runtime.rows(history.runs[0].pk) == before
    assert len(before.cases) == 1


def test_a_row_without_facts_is_named_and_left_to_people(paid):
    Vote.objects.create(
        approval=Approval.objects.get(tool_call=paid),
        person=paid.run.account,
        decision="approve",
        cast_at=paid.proposed_at,
    )

    lines, error = said_by("rebuild_projections")

    assert [line.rpartition(": ")[2] for line in lines] == ["no facts"]
    assert error == "The rows are not as the log says: 1 differences."


def test_a_settlement_asked_confirmed_and_observed_folds_to_its_rows():
    world = make_world()
    make_settlement(world)
    confirmed = make_settlement(world)
    approve(world, "admin2", confirmed)
    observe_outcome(world, "admin", confirmed.tool_call)

    assert said_by("rebuild_projections", "--check") == ([], None)
    assert said_by("verify_log") == ([], None)


def test_a_settlement_that_is_gone_comes_back_from_the_log():
    approval = make_settlement(make_world())
    before = approvals.rows(approval.run_id)
    tamper("approvals_approval", "DELETE FROM approvals_approval WHERE id = %s", approval.pk)

    lines, error = said_by("rebuild_projections")

    assert (len(lines), error) == (1, None)
    assert approvals.rows(approval.run_id) == before


def test_a_grant_that_waits_and_a_question_fold_to_their_rows():
    world = make_world()
    make_grant(world, minor=500_00)
    make_call(world)

    assert said_by("rebuild_projections", "--check") == ([], None)
    assert said_by("verify_log") == ([], None)
