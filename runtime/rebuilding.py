"""Write the rows of a run anew from its log; the caller holds the run's lock."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Literal
from uuid import UUID

from django.db import connection

from runtime.folding import fold
from runtime.guards import moves_guard
from runtime.models import Attempt, Case, Event, Run, ToolCall
from runtime.projections import take_state

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from django.db.models import Model

GUARDED: Final = tuple(
    (table, moves_guard(table, column))
    for table, column in (
        ("runtime_toolcall", "execution_status"),
        ("runtime_toolcall", "verification_status"),
        ("runtime_attempt", "status"),
    )
)


def rebuild_run(run_id: UUID) -> None:
    """Write what the facts say of the run, its calls, their attempts and its cases."""
    folded = fold(run_id)
    run = Run.objects.get(pk=run_id)
    restore(run, folded.run)
    for call_id, state in folded.calls.items():
        call = ToolCall.objects.filter(pk=call_id).first()
        missing = ToolCall(pk=call_id, workspace_id=run.workspace_id, run=run)
        restore(call or missing, state)
    calls = calls_by("attempt_id", run_id)
    for attempt_id, attempt_state in folded.attempts.items():
        attempt = Attempt.objects.filter(pk=attempt_id).first()
        restore(attempt or Attempt(pk=attempt_id, tool_call_id=calls[attempt_id]), attempt_state)
    for case_id, case_state in folded.cases.items():
        case = Case.objects.filter(pk=case_id).first()
        restore(case or Case(pk=case_id, workspace_id=run.workspace_id, run=run), case_state)


def restore(row: Model, state: DataclassInstance) -> None:
    """Write a row that is missing or is not as its facts say."""
    is_new = row._state.adding  # noqa: SLF001
    changed = take_state(row, state)
    if is_new:
        row.save(force_insert=True)
    elif changed:
        row.save(update_fields=changed)


def calls_by(column: Literal["attempt_id", "approval_id"], run_id: UUID) -> dict[UUID, UUID]:
    """Which call each attempt or approval of a run belongs to, as its events name it."""
    named = Event.objects.filter(run=run_id).exclude(**{column: None})
    return dict(named.values_list(column, "tool_call_id"))


def owns_guards(guarded: Iterable[tuple[str, str]]) -> bool:
    """Answer whether who is connected may take these guards off."""
    tables = [table for table, _ in guarded]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT bool_and(pg_has_role(relowner, 'USAGE')) FROM pg_class"
            " WHERE oid = ANY(%s::regclass[])",
            [tables],
        )
        (owns,) = cursor.fetchone()
    return bool(owns)


@contextmanager
def without_guards(guarded: Iterable[tuple[str, str]]) -> Iterator[None]:
    """Take these guards off for this transaction: a wrong row may be anywhere.

    Other writers of these tables wait until the transaction ends, so nobody else
    writes without them; a rollback puts them back as well.
    """
    pairs = list(guarded)
    with connection.cursor() as cursor:
        # A table with checks still to come cannot be altered.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for table, guard in pairs:
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER {guard}")
        yield
        for table, guard in pairs:
            cursor.execute(f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {guard}")
